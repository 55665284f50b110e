/* What a mistake of somebody who is tired was probably meant to be. PostgreSQL's errors, and the
 * names that it knows, are played. */
#include "cli/check/check.h"

#include "support/catalogue.h"
#include "support/own_jobs.h"

#include <string.h>

static Pg *pg;

static void
begin (Check *check, Job *job)
{
  own_jobs_begin ();
  g_assert_cmpstr (own_jobs_load (), ==, NULL);
  catalogue_begin ();
  check_begin (check, own_jobs_loaded (), pg);
  check->job = job;
}

#define NO_COLUMN "42703"
#define NO_SYNTAX "42601"
#define TEXT ": a text stands in single quotes, 'so'"

/* The condition, PostgreSQL's SQLSTATE and message, and the hint. */
static void
test_conditions (void)
{
  static const char *const cases[][4] = {
    { "delted_at < :T", NO_COLUMN, "column \"delted_at\" does not exist",
      ", did you mean deleted_at?" },
    { "orders.statsu = 'gone'", NO_COLUMN, "column orders.statsu does not exist",
      ", did you mean status?" },
    { "Deatd", NO_COLUMN, "column \"deatd\" does not exist", ", did you mean \"Dead\"?" },
    { "status = \"gone\"", NO_COLUMN, "column \"gone\" does not exist", TEXT },
    { "status = \u2018gone\u2019", NO_COLUMN, "column \"\u2018gone\u2019\" does not exist", TEXT },
    { "status = `gone`", NO_COLUMN, "column \"`gone`\" does not exist", TEXT },
    { "qwertyuiop < :T", NO_COLUMN, "column \"qwertyuiop\" does not exist", "" },
    { "deleted_at < :T - 30 days", NO_SYNTAX, "syntax error at or near \"days\"",
      ": an age is written interval '30 days'" },
    { "deleted_at < now() - 2 MONTHS", NO_SYNTAX, "syntax error at or near \"MONTHS\"",
      ": an age is written interval '30 days'" },
    { "WHERE status = 'gone'", NO_SYNTAX, "syntax error at or near \"WHERE\"",
      ": the value is the condition alone, without WHERE" },
    { "status = 'gone' AND", NO_SYNTAX, "syntax error at end of input", "" },
    { "nothing(id)", "42883", "function nothing(bigint) does not exist", "" },
  };
  Job job = { .name = "b", .table = "orders" };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Check) check;
    begin (&check, &job);
    catalogue_sqlstate (cases[i][1]);
    played_answer ("columns", "name|quoted\nid|id\nstatus|status\npayload|payload\n"
                              "deleted_at|deleted_at\nDead|\"Dead\"");
    g_autoptr (GError) cause
        = g_error_new (PRUNED_ERROR, PRUNED_DATA, "x: %s [%s]", cases[i][2], cases[i][1]);
    g_autofree char *hint = check_hint (&check, cases[i][0], cause);
    g_test_message ("%s", cases[i][0]);
    g_assert_cmpstr (hint, ==, cases[i][3]);
  }
}

/* Why a sentence is refused, and the hint. */
static void
test_tables (void)
{
  static const char *const cases[][2] = {
    { "there is no table ordrs", ", did you mean orders?" },
    { "there is no table caps", ", did you mean \"Caps\"?" },
    { "there is no table invoice", ", did you mean billing.invoices?" },
    { "children: there is no table order_item", ", did you mean order_items?" },
    { "archive: there is no table orders_archiv", ", did you mean orders_archive?" },
    { "there is no table zzzzzzzzz", "" },
    { "orders has no primary key", "" },
  };
  Job job = { .name = "b", .table = "ordrs" };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Check) check;
    begin (&check, &job);
    played_answer ("tables",
                   "name|quoted\nCaps|\"Caps\"\ndevices|devices\norder_items|order_items\n"
                   "orders|orders\norders_archive|orders_archive\n"
                   "invoices|billing.invoices");
    g_autofree char *hint = check_hint_table (&check, cases[i][0]);
    g_test_message ("%s", cases[i][0]);
    g_assert_cmpstr (hint, ==, cases[i][1]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/check_hint/conditions", test_conditions);
  g_test_add_func ("/check_hint/tables", test_tables);
  PgSettings settings = { .url = "", .app_schema = "public", .name = "test" };
  pg = pg_new (&settings);
  int failed = config_test_run ();
  pg_free (pg);
  return failed;
}
