/* The one form of a table of keys: those that a group of job.conf, a section [retention NAME] or a
 * section [event NAME] may have. Settings have a table of their own (settings.h), since a setting
 * has its value from several places.
 *
 * Invariant: names are unique in their table.
 *
 * Threads: any; tables are constant. Ownership: what is read belongs to what it is read into.
 */
#pragma once
#include <glib.h>

typedef struct _Key Key;
struct _Key {
  const char *name;
  /* Reads TEXT into INTO, which the table is of. PRUNED_FATAL says what is wrong, without place and
   * name. */
  gboolean (*read) (gpointer into, const Key *key, const char *text, GError **error);
  gsize at; /* where INTO has it: for the readers below */
};

/* TABLE ends with a name that is NULL; so does the result for a name that it does not have. */
const Key *key_find (const Key *table, const char *name);
/* Adds all of them, borrowed. */
void key_names (const Key *table, GPtrArray *names);

/* Readers. Into a `char *`. */
gboolean key_text (gpointer into, const Key *key, const char *text, GError **error);
/* Into a `char **`: what stands between `;`, without those that are empty. */
gboolean key_list (gpointer into, const Key *key, const char *text, GError **error);
/* Into a gboolean: true or false. */
gboolean key_bool (gpointer into, const Key *key, const char *text, GError **error);

/* The items of a list; g_strfreev them. */
char **key_items (const char *text);
