/* Home's three sentences: what went, whether the second reading agrees, whether anything waits.
 * Each is true, or is red; of what nobody has looked at it says so. */
#include "web/page/home.h"

#include "base/plural.h"
#include "base/spoken.h"

#include <string.h>

static gint64
sum_of (const PgRows *rows, const char *column)
{
  gint64 sum = 0;
  for (int i = 0; i < rows_count (rows); i++)
    sum += rows_int (rows, i, column);
  return sum;
}

typedef enum { GOOD, BAD, UNKNOWN } Truth;

/* `✓`: so that no colour is needed to see it. */
static void
say (const Home *home, Truth truth, const char *text)
{
  static const char *const marks[][3]
      = { { "good", "✓", "yes: " }, { "bad", "✗", "no: " }, { "plain", "–", "not known: " } };
  Html *html = home->sheet->html;
  html_open (html, HTML_LI);
  html_set (html, HTML_AT_CLASS, marks[truth][0]);
  html_open (html, HTML_SPAN);
  html_set (html, HTML_AT_CLASS, "mark");
  html_set (html, HTML_AT_ROLE, "img");
  html_set (html, HTML_AT_LABEL, marks[truth][2]);
  html_add (html, marks[truth][1]);
  html_close (html);
  html_add (html, " ");
  html_add (html, text);
  html_close (html);
}

/* How many jobs have a deadline, and of how many of these nothing is known. */
static void
count_deadlines (const PgRows *jobs, int *known, int *unknown)
{
  *known = *unknown = 0;
  for (int i = 0; i < rows_count (jobs); i++) {
    const char *state = rows_text (jobs, i, "deadline_unknown");
    *known += state != NULL && g_str_equal (state, "0");
    *unknown += state != NULL && !g_str_equal (state, "0");
  }
}

/* Only what was looked for is said not to be there. */
static char *
overdue_words (const PgRows *jobs, gint64 missed)
{
  int known, unknown;
  count_deadlines (jobs, &known, &unknown);
  g_autofree char *n = spoken_number (missed),
                  *rest = unknown > 0 ? g_strdup_printf ("; of %d more it is not known", unknown)
                                      : g_strdup ("");
  if (missed > 0)
    return g_strdup_printf ("%s %s overdue%s", n, plural (missed, "row is", "rows are"), rest);
  if (known == 0)
    return g_strdup_printf ("%s",
                            unknown > 0 ? "what is overdue is not known" : "no job has a deadline");
  return g_strdup_printf ("nothing is overdue in the %d %s with a deadline%s", known,
                          plural (known, "job", "jobs"), rest);
}

/* `12 stayed because they fail, 2 runs are held`. */
static char *
stayed_words (const PgRows *jobs)
{
  static const struct {
    const char *column, *one, *many;
  } why[] = { { "failing", "row fails", "rows fail" },
              { "held", "run is held", "runs are held" },
              { "dead", "run is dead", "runs are dead" } };
  GString *words = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (why); i++) {
    const gint64 n = sum_of (jobs, why[i].column);
    g_autofree char *number = spoken_number (n);
    if (n > 0)
      g_string_append_printf (words, "%s%s %s", words->len > 0 ? ", " : "", number,
                              plural (n, why[i].one, why[i].many));
  }
  if (words->len == 0)
    g_string_append (words, "none fails");
  return g_string_free (words, FALSE);
}

static void
say_night (const Home *home)
{
  int known, unknown;
  const PgRows *jobs = home->jobs;
  const gint64 rows = sum_of (jobs, "rows"), missed = sum_of (jobs, "overdue_missed");
  const gboolean stayed
      = sum_of (jobs, "failing") + sum_of (jobs, "held") + sum_of (jobs, "dead") > 0;
  count_deadlines (jobs, &known, &unknown);
  g_autofree char *n = spoken_number (rows), *stays = stayed_words (jobs),
                  *overdue = overdue_words (jobs, missed),
                  *text = g_strdup_printf ("%s %s in the last night of each job; %s; %s.", n,
                                           plural (rows, "row went", "rows went"), stays, overdue);
  say (home, stayed || missed > 0 ? BAD : unknown > 0 ? UNKNOWN : GOOD, text);
}

static void
say_reading (const Home *home)
{
  const gint64 runs = rows_int (home->read, 0, "runs");
  g_autofree char *n = spoken_number (runs),
                  *rows = spoken_number (rows_int (home->read, 0, "rows"));
  GString *text = g_string_new (NULL);
  guint disagree = 0, open = 0;
  for (int i = 0; i < rows_count (home->readings); i++) {
    const gboolean says = rows_text (home->readings, i, "says") != NULL;
    disagree += says;
    open += !says;
    if (says)
      g_string_append_printf (text, "%s%s", disagree > 1 ? ", " : "The second reading disagrees: ",
                              rows_text (home->readings, i, "job"));
  }
  if (open > 0)
    g_string_append_printf (text, "%s%u second %s not ended within an hour",
                            text->len > 0 ? "; " : "", open,
                            plural (open, "reading has", "readings have"));
  if (text->len == 0 && runs > 0)
    g_string_append_printf (text, "The second reading agrees with %s %s of the last day, %s rows",
                            n, plural (runs, "run", "runs"), rows);
  else if (text->len == 0)
    g_string_append (text, "No run of the last day was read a second time");
  g_string_append_c (text, '.');
  say (home, disagree + open > 0 ? BAD : runs > 0 ? GOOD : UNKNOWN, text->str);
  g_string_free (text, TRUE);
}

gint64
home_sentences_needs (const Home *home)
{
  gint64 n = rows_count (home->refused) + rows_count (home->stop);
  for (int i = 0; i < rows_count (home->jobs); i++)
    n += rows_bool (home->jobs, i, "needs");
  return n;
}

void
home_sentences_show (const Home *home)
{
  Html *html = home->sheet->html;
  const gint64 needs = home_sentences_needs (home);
  g_autofree char *waits = needs == 0
                               ? g_strdup ("Nothing waits for you.")
                               : g_strdup_printf ("%" G_GINT64_FORMAT " %s for you.", needs,
                                                  plural (needs, "thing waits", "things wait"));
  html_open (html, HTML_SECTION);
  html_set (html, HTML_AT_ID, "sentences");
  html_open (html, HTML_UL);
  html_set (html, HTML_AT_CLASS, "sentences");
  say_night (home);
  say_reading (home);
  say (home, needs > 0 ? BAD : GOOD, waits);
  html_close (html);
  html_close (html);
}
