#include "cli/dead/letter_reasons.h"

#include <string.h>

const Column LETTER_REASONS_COLUMNS[]
    = { { "letters", CELL_NUMBER }, { "source_topic" }, { "first" }, { "last" },
        { "last_seen", CELL_TIME }, { "reason" },       { NULL } };

typedef struct {
  guint letters;
  char *topic, *reason; /* of the first one; NULL: it is of another program */
  char *first, *last;   /* ids */
  char *last_seen;
} Group;

struct _LetterReasons {
  GHashTable *known; /* kind -> Group, of `groups` */
  GPtrArray *groups; /* in the order in which they were found */
};

static void
group_free (gpointer data)
{
  Group *group = data;
  g_free (group->topic);
  g_free (group->reason);
  g_free (group->first);
  g_free (group->last);
  g_free (group->last_seen);
  g_free (group);
}

LetterReasons *
letter_reasons_new (void)
{
  LetterReasons *reasons = g_new (LetterReasons, 1);
  *reasons = (LetterReasons){ g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                              g_ptr_array_new_with_free_func (group_free) };
  return reasons;
}

void
letter_reasons_free (LetterReasons *reasons)
{
  if (reasons == NULL)
    return;
  g_hash_table_unref (reasons->known);
  g_ptr_array_unref (reasons->groups);
  g_free (reasons);
}

/* What is the same in all reasons of a group: the reason without numbers and quoted values. */
static char *
kind_of (const Letter *letter)
{
  const char *topic = letter->said.source_topic, *at = letter->said.reason;
  GString *kind = g_string_new (topic != NULL ? topic : "");
  g_string_append_c (kind, '\n');
  while (at != NULL && *at != '\0') {
    const char *end = *at == '"' || *at == '\'' ? strchr (at + 1, *at) : NULL;
    gsize digits = strspn (at, "0123456789");
    if (end != NULL || digits > 0) {
      g_string_append_c (kind, '#');
      at = end != NULL ? end + 1 : at + digits;
    } else
      g_string_append_c (kind, *at++);
  }
  return g_string_free (kind, FALSE);
}

void
letter_reasons_add (LetterReasons *reasons, const Letter *letter)
{
  char *kind = kind_of (letter), *id = letter_id (letter);
  Group *group = g_hash_table_lookup (reasons->known, kind);
  if (group == NULL) {
    group = g_new0 (Group, 1);
    group->topic = g_strdup (letter->said.source_topic);
    group->reason = g_strdup (letter->said.reason);
    group->first = g_strdup (id);
    g_ptr_array_add (reasons->groups, group);
    g_hash_table_insert (reasons->known, g_steal_pointer (&kind), group);
  }
  group->letters++;
  /* They come partition by partition. */
  if (group->last == NULL || g_strcmp0 (letter->said.last_seen, group->last_seen) >= 0) {
    g_free (group->last);
    g_free (group->last_seen);
    group->last = g_steal_pointer (&id);
    group->last_seen = g_strdup (letter->said.last_seen);
  }
  g_free (kind);
  g_free (id);
}

static int
more_first (gconstpointer a, gconstpointer b)
{
  const Group *const *left = a, *const *right = b;
  guint n = (*left)->letters, m = (*right)->letters;
  return n != m ? (n < m) - (n > m) : g_strcmp0 ((*left)->first, (*right)->first);
}

void
letter_reasons_show (const LetterReasons *reasons, Output *out)
{
  g_ptr_array_sort (reasons->groups, more_first);
  for (guint i = 0; i < reasons->groups->len; i++) {
    const Group *group = reasons->groups->pdata[i];
    output_row (out, json_integer (group->letters), letter_text (group->topic),
                json_string (group->first), json_string (group->last),
                letter_text (group->last_seen), letter_text (group->reason));
  }
}
