/* The columns of a table, by name. */
#include "config/nearest.h"
#include "engine/job/sentence/catalogue.h"

#include <string.h>

/* As PostgreSQL reads a name: in quotes as it stands, else in small letters. */
static char *
plain_name (const char *name)
{
  gsize len = strlen (name);
  if (len < 2 || *name != '"')
    return g_ascii_strdown (name, -1);
  GString *plain = g_string_new_len (name + 1, (gssize)len - 2);
  for (char *twice = strstr (plain->str, "\"\""); twice != NULL; twice = strstr (twice + 1, "\"\""))
    g_string_erase (plain, twice - plain->str, 1);
  return g_string_free (plain, FALSE);
}

const CatColumn *
catalogue_column_plain (const CatTable *table, const char *plain)
{
  for (guint i = 0; i < table->columns->len; i++)
    if (g_str_equal (((CatColumn *)table->columns->pdata[i])->name, plain))
      return table->columns->pdata[i];
  return NULL;
}

const CatColumn *
catalogue_column (const CatTable *table, const char *name)
{
  g_autofree char *plain = plain_name (name);
  return catalogue_column_plain (table, plain);
}

gboolean
catalogue_is_seen (const CatTable *table)
{
  return table->readable && !table->hidden;
}

const char *
catalogue_sign (const CatColumn *column, CatSign sign)
{
  static const char *const plain[CAT_SIGNS] = { "<", "<=", "=", ">=", ">" };
  return column->signs[sign] != NULL ? column->signs[sign] : plain[sign];
}

char *
catalogue_no_column (const CatTable *table, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < table->columns->len; i++)
    g_ptr_array_add (names, ((const CatColumn *)table->columns->pdata[i])->quoted);
  g_ptr_array_add (names, NULL);
  const char *meant = nearest_name (name, (const char *const *)names->pdata);
  return g_strdup_printf ("%s has no column %s%s%s%s", table->name, name,
                          meant != NULL ? ", did you mean " : "", meant != NULL ? meant : "",
                          meant != NULL ? "?" : "");
}
