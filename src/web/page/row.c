/* A row: why it is still there, and what the audit has of it, as `pruned why` and `pruned who` say.
 * Rows as they were are not shown. */
#include "web/page/act.h"
#include "web/page/views.h"

#include "engine/job/in_force.h"
#include "engine/view/row/row_who.h"
#include "engine/view/row/row_why.h"

#define MOST_COLUMNS 16

/* Says why nothing of the row can be seen. FALSE: that is an error. */
static gboolean
say_unseen (Sheet *sheet, ItemEnd end, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (end != ITEM_NO_TABLE && end != ITEM_HIDDEN)
    return FALSE;
  g_propagate_error (&cause, g_steal_pointer (error));
  sheet->status = 404;
  html_text (sheet->html, HTML_P, cause->message);
  return TRUE;
}

static void
show_why (Sheet *sheet, const RowWhy *why)
{
  sheet_table (sheet, &(SheetTable){ "why", why->gone ? "Whether it is there" : "Why it stays",
                                     row_why_columns (), json_incref (why->lines), "Nothing." });
}

static void
show_who (Sheet *sheet, const RowWho *who)
{
  Column columns[MOST_COLUMNS] = { { NULL } };
  const Column *all = row_who_columns ();
  for (guint i = 0; all[i].name != NULL; i++) {
    g_assert (i + 1 < MOST_COLUMNS);
    columns[i] = all[i];
    if (g_str_equal (all[i].name, "row"))
      columns[i].detail = columns[i].derived = TRUE;
  }
  json_t *cells = json_array ();
  for (guint i = 0; i < who->found->len; i++)
    json_array_append_new (
        cells, row_who_cells (in_force_jobs (), &g_array_index (who->found, RowFound, i)));
  sheet_table (sheet, &(SheetTable){ "who", "What went, by the audit", columns, cells,
                                     "Nothing is recorded of it: within [audit] keep_days no run "
                                     "removed or changed it." });
}

/* The night is that of home: what the processes have last found. */
static ItemEnd
ask_why (Sheet *sheet, const char *item, RowWhy *why, GError **error)
{
  g_autoptr (PgRows) nights = pg_begin_read_only (sheet->pg, error)
                                  ? night_ask (sheet->pg, sheet->night, NULL, error)
                                  : NULL;
  pg_rollback (sheet->pg);
  const RowWhyOf of = { in_force_jobs (), sheet->pg, nights };
  return nights != NULL ? row_why_ask (why, &of, item, error) : ITEM_FAILED;
}

static ItemEnd
ask_who (Sheet *sheet, const char *text, RowWho *who, GError **error)
{
  g_auto (Item) item = { 0 };
  if (!item_parse (text, &item, error))
    return ITEM_WRONG;
  const ItemEnd end = item_check (&item, in_force_jobs (), sheet->pg, FALSE, error);
  if (end != ITEM_READ)
    return end;
  return row_who_ask (who, sheet->pg, in_force_config (), &item, ROW_WHO_LIMIT, FALSE, error)
             ? ITEM_READ
             : ITEM_FAILED;
}

gboolean
view_show_row (Sheet *sheet, GError **error)
{
  static const char *const filters[] = { "item", NULL };
  const char *item = sheet_filter (sheet, "item");
  g_auto (RowWhy) why = { 0 };
  g_auto (RowWho) who = { 0 };
  html_text (sheet->html, HTML_P,
             "Why a row is still there, and what runs did with it: TABLE:KEY, like orders:42.");
  sheet_form (sheet, filters);
  if (item == NULL)
    return TRUE;
  ItemEnd end = ask_why (sheet, item, &why, error);
  if (end == ITEM_READ)
    end = ask_who (sheet, item, &who, error);
  if (end != ITEM_READ)
    return say_unseen (sheet, end, error);
  html_text (sheet->html, HTML_H2, item);
  if (!why.gone)
    act_show_links (sheet, ACT_OF_ROW, item);
  show_why (sheet, &why);
  show_who (sheet, &who);
  return TRUE;
}
