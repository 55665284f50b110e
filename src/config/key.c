#include "config/key.h"

#include "base/error.h"

const Key *
key_find (const Key *table, const char *name)
{
  while (table->name != NULL && !g_str_equal (table->name, name))
    table++;
  return table;
}

void
key_names (const Key *table, GPtrArray *names)
{
  for (; table->name != NULL; table++)
    g_ptr_array_add (names, (gpointer)table->name);
}

gboolean
key_text (gpointer into, const Key *key, const char *text, GError **error)
{
  G_STRUCT_MEMBER (char *, into, key->at) = g_strstrip (g_strdup (text));
  return TRUE;
}

gboolean
key_list (gpointer into, const Key *key, const char *text, GError **error)
{
  g_strfreev (G_STRUCT_MEMBER (char **, into, key->at));
  G_STRUCT_MEMBER (char **, into, key->at) = key_items (text);
  return TRUE;
}

gboolean
key_bool (gpointer into, const Key *key, const char *text, GError **error)
{
  gboolean yes = g_str_equal (text, "true");
  G_STRUCT_MEMBER (gboolean, into, key->at) = yes;
  return yes || g_str_equal (text, "false") || error_fatal (error, "expected true or false");
}

char **
key_items (const char *text)
{
  g_autoptr (GStrvBuilder) items = g_strv_builder_new ();
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*g_strstrip (parts[i]) != '\0')
      g_strv_builder_add (items, parts[i]);
  return g_strv_builder_end (items);
}
