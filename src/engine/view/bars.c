#include "engine/view/bars.h"

#include "base/plural.h"
#include "base/spoken.h"

#include <math.h>
#include <string.h>

#define NIGHTS 30
#define BAR 6 /* of which one is the gap */

/* N amounts, the oldest first, and those that failed, which stand above them. Which are known;
 * NULL: all. */
typedef struct {
  const double *amounts, *failed;
  const gboolean *known;
  guint n;
  gboolean is_large;
  const char *says; /* the same in words */
} Bars;

static void
add_rect (Html *html, const char *class, const double at[4])
{
  html_open (html, HTML_SVG_RECT);
  html_set (html, HTML_AT_CLASS, class);
  html_set_number (html, HTML_AT_X, at[0]);
  html_set_number (html, HTML_AT_Y, at[1]);
  html_set_number (html, HTML_AT_WIDTH, at[2]);
  html_set_number (html, HTML_AT_HEIGHT, at[3]);
  html_close (html);
}

static void
draw (Html *html, const Bars *bars)
{
  const double height = bars->is_large ? 48 : 20;
  double most = 1;
  for (guint i = 0; i < bars->n; i++)
    most = MAX (most, bars->amounts[i] + bars->failed[i]);
  g_autofree char *box = g_strdup_printf ("0 0 %u %.0f", bars->n * BAR, height + 1);
  html_open (html, HTML_SVG);
  html_set (html, HTML_AT_CLASS, bars->is_large ? "bars large" : "bars");
  html_set (html, HTML_AT_VIEWBOX, box);
  html_set (html, HTML_AT_ASPECT, "none");
  html_set (html, HTML_AT_ROLE, "img");
  html_set (html, HTML_AT_LABEL, bars->says);
  for (guint i = 0; i < bars->n; i++) {
    const double x = i * BAR,
                 failed = bars->failed[i] > 0 ? MAX (bars->failed[i] / most * height, 1) : 0,
                 done
                 = bars->amounts[i] > 0 ? MAX (bars->amounts[i] / most * height - failed, 1) : 0;
    if (bars->known == NULL || bars->known[i])
      add_rect (html, "none", (const double[]){ x, height, BAR - 1, 1 });
    if (done > 0)
      add_rect (html, "done", (const double[]){ x, height - done, BAR - 1, done });
    if (failed > 0)
      add_rect (html, "failed",
                (const double[]){ x, MAX (height - done - failed, 0), BAR - 1, failed });
  }
  html_close (html);
}

/* The number of days before today of a DAY like `2026-12-01`; NIGHTS: it is none of these. */
static guint
days_ago (const char *day)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *text = g_strconcat (day, "T00:00:00Z", NULL);
  g_autoptr (GDateTime) at = g_date_time_new_from_iso8601 (text, NULL);
  const gint64 days = at != NULL ? g_date_time_difference (now, at) / G_TIME_SPAN_DAY : -1;
  return days < 0 || days >= NIGHTS ? NIGHTS : (guint)days;
}

void
bars_show (Html *html, const PgRows *nights, const char *job)
{
  double amounts[NIGHTS] = { 0 }, failed[NIGHTS] = { 0 }, most = 0, all = 0;
  for (int i = 0; i < rows_count (nights); i++) {
    const guint ago = days_ago (rows_text (nights, i, "day"));
    if ((job != NULL && !g_str_equal (job, rows_text (nights, i, "job"))) || ago == NIGHTS)
      continue;
    amounts[NIGHTS - 1 - ago] += (double)rows_int (nights, i, "rows");
    failed[NIGHTS - 1 - ago] += (double)rows_int (nights, i, "failed");
  }
  for (guint i = 0; i < NIGHTS; i++) {
    most = MAX (most, amounts[i]);
    all += amounts[i];
  }
  g_autofree char *sum = spoken_number (llround (all)), *top = spoken_number (llround (most)),
                  *says = g_strdup_printf ("30 nights: %s rows, at most %s in one", sum, top);
  draw (html, &(Bars){ amounts, failed, NULL, NIGHTS, job == NULL, says });
}

char *
bars_show_overdue (Html *html, const PgRows *days)
{
  double amounts[NIGHTS] = { 0 }, overdue[NIGHTS] = { 0 }, most = 0;
  gboolean known[NIGHTS] = { FALSE };
  guint looked = 0;
  for (int i = 0; i < rows_count (days); i++) {
    const guint ago = days_ago (rows_text (days, i, "day"));
    if (ago == NIGHTS)
      continue;
    overdue[NIGHTS - 1 - ago] += (double)rows_int (days, i, "rows");
    known[NIGHTS - 1 - ago] = TRUE;
  }
  for (guint i = 0; i < NIGHTS; i++) {
    most = MAX (most, overdue[i]);
    looked += known[i];
  }
  g_autofree char *top = spoken_number (llround (most));
  char *says = looked == 0 ? g_strdup ("Nobody has looked for overdue rows: no job has a deadline.")
               : most > 0
                   ? g_strdup_printf ("30 days, looked for on %u: at most %s %s overdue", looked,
                                      top, plural (llround (most), "row", "rows"))
                   : g_strdup_printf ("30 days, looked for on %u: nothing was overdue", looked);
  if (looked > 0)
    draw (html, &(Bars){ amounts, overdue, known, NIGHTS, TRUE, says });
  return says;
}

static double
number_of (const PgRows *rows, int row, const char *column)
{
  const char *text = rows_text (rows, row, column);
  return text != NULL ? g_ascii_strtod (text, NULL) : 0;
}

double
bars_most (const PgRows *rows, const char *column)
{
  double most = 0;
  for (int i = 0; i < rows_count (rows); i++)
    most = MAX (most, number_of (rows, i, column));
  return most;
}

void
bars_show_column (Html *html, const PgRows *rows, const char *column, const char *says)
{
  const guint n = (guint)rows_count (rows);
  g_autofree double *amounts = g_new0 (double, n), *failed = g_new0 (double, n);
  for (guint i = 0; i < n; i++)
    amounts[i] = number_of (rows, (int)i, column);
  draw (html, &(Bars){ amounts, failed, NULL, n, TRUE, says });
}
