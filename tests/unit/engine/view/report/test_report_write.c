/* A report in each of its forms, from the same cells. */
#include "engine/view/report/report.h"

#include <string.h>

static const Column COLUMNS[] = { { "job" }, { "rows", CELL_NUMBER }, { "reason" }, { NULL } };

static Report
report_of (json_t *rows)
{
  const ReportPart parts[] = { { "jobs", "What the jobs did", COLUMNS, rows, "Nothing." },
                               { "holds", "Holds", COLUMNS, json_array (), "No row." } };
  Report report
      = { g_strdup ("pruned: app"), NULL, g_array_new (FALSE, FALSE, sizeof (ReportPart)) };
  g_array_append_vals (report.parts, parts, G_N_ELEMENTS (parts));
  return report;
}

static json_t *
rows_odd (void)
{
  return json_pack ("[[s, i, s], [s, i, n]]", "orders.old", 1234, "=1+2, \"so\"\nit <is>", "b", 0);
}

static void
test_text (void)
{
  g_auto (Report) report = report_of (rows_odd ());
  g_autofree char *text = report_as_text (&report);
  g_assert_cmpstr (text, ==,
                   "pruned: app\n\nWhat the jobs did\n\n"
                   "job          rows  reason\n"
                   "orders.old  1,234  =1+2, \"so\" it <is>\n"
                   "b               -  -\n"
                   "\nHolds\n\nNo row.\n");
}

static void
test_csv (void)
{
  g_auto (Report) report = report_of (rows_odd ());
  g_autofree char *text = report_as_csv (&report);
  g_assert_cmpstr (text, ==,
                   "part,job,rows,reason\r\n"
                   "jobs,\"orders.old\",1234,\"'=1+2, \"\"so\"\"\nit <is>\"\r\n"
                   "jobs,\"b\",0,\r\n"
                   "\r\npart,job,rows,reason\r\n");
}

static void
test_html (void)
{
  g_auto (Report) report = report_of (rows_odd ());
  g_autofree char *text = report_as_html (&report);
  g_assert_nonnull (
      strstr (text, "<td class=\"n\">1,234</td><td>=1+2, &quot;so&quot; it &lt;is&gt;</td>"));
  g_assert_nonnull (strstr (text, "<h2>Holds</h2>\n<p>No row.</p>"));
}

static void
test_json (void)
{
  g_auto (Report) report = report_of (rows_odd ());
  g_autoptr (json_t) object = report_as_json (&report);
  const json_t *first = json_array_get (json_object_get (object, "jobs"), 0);
  g_assert_cmpint (json_integer_value (json_object_get (first, "rows")), ==, 1234);
  g_assert_cmpuint (json_array_size (json_object_get (object, "holds")), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/report/text", test_text);
  g_test_add_func ("/report/csv", test_csv);
  g_test_add_func ("/report/html", test_html);
  g_test_add_func ("/report/json", test_json);
  return g_test_run ();
}
