/* Pages that are found before the step that uses them. */
#include "engine/step/find.h"

struct _FoundPages {
  GHashTable *of_run; /* run id -> Page */
  GHashTable *gone;   /* keys that steps have had since one was kept */
  gint64 room;        /* further keys */
};

static void
free_page (gpointer page)
{
  page_clear (page);
  g_free (page);
}

FoundPages *
found_pages_new (gint64 most)
{
  FoundPages *pages = g_new0 (FoundPages, 1);
  pages->of_run = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_page);
  pages->gone = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  pages->room = most;
  return pages;
}

void
found_pages_free (FoundPages *pages)
{
  if (pages == NULL)
    return;
  g_hash_table_destroy (pages->of_run);
  g_hash_table_destroy (pages->gone);
  g_free (pages);
}

void
found_pages_keep (FoundPages *pages, const Run *run, Page *page)
{
  if (pages == NULL || page->keys == NULL || page->keys->len > pages->room)
    return;
  pages->room -= page->keys->len;
  g_hash_table_replace (pages->of_run, g_strdup (run->run_id), g_memdup2 (page, sizeof *page));
  *page = (Page){ 0 };
}

/* Rows that went below those of a page can be of any other. */
void
find_kept_used (const Step *step, const Page *page)
{
  FoundPages *pages = step->pages;
  if (pages == NULL || g_hash_table_size (pages->of_run) == 0)
    return;
  if (step->own_below > 0)
    g_hash_table_remove_all (pages->of_run);
  for (guint i = 0; i < page->keys->len; i++)
    g_hash_table_add (pages->gone, g_strdup (page->keys->pdata[i]));
}

/* A page that is cut has to have the answer of page.sql beside it, so it is asked anew. */
gboolean
find_kept_take (Find *find)
{
  FoundPages *pages = find->step->pages;
  Page *kept = pages != NULL ? g_hash_table_lookup (pages->of_run, find->run.run_id) : NULL;
  if (kept == NULL || find->way != FIND_PAGE || find->cuts)
    return FALSE;
  gboolean holds = (gint64)kept->keys->len <= find->limit;
  for (guint i = 0; holds && i < kept->keys->len; i++)
    holds = !g_hash_table_contains (pages->gone, kept->keys->pdata[i]);
  pages->room += kept->keys->len;
  if (holds) {
    find->page = *kept;
    *kept = (Page){ 0 };
  }
  g_hash_table_remove (pages->of_run, find->run.run_id);
  return holds;
}
