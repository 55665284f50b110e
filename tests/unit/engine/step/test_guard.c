/* What is not believed of a page and of a decision: docs/adding-a-job.md, "What the engine does not
 * believe". */
#include "engine/step/guard.h"

#include "support/steps.h"

#include <string.h>

static StepScene *scene;

/* The step is to be blocked with a reason that names FILE, or nothing is wrong (NULL). */
static void
assert_guarded (gboolean ok, const GError *error, const char *file)
{
  g_autofree char *prefix = g_strdup_printf ("guard: %s ", file);
  g_assert_cmpint (ok, ==, file == NULL);
  g_assert_cmpint (scene->step->blocked, ==, file != NULL);
  if (file == NULL) {
    g_assert_no_error (error);
    return;
  }
  g_assert_error (error, PRUNED_ERROR, PRUNED_RETRY);
  g_assert_true (g_str_has_prefix (error->message, prefix));
  g_assert_cmpstr (scene->step->error_class, ==, "guard");
}

/* --- pages --- */

static json_t *
json_of (const char *text)
{
  return text != NULL ? json_parse (text, strlen (text), NULL) : NULL;
}

static GPtrArray *
keys_of (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", -1);
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  for (char **part = parts; *part != NULL; part++)
    if (**part != '\0')
      g_ptr_array_add (keys, g_strdup (*part));
  return keys;
}

typedef struct {
  const char *columns, *given, *end, *next; /* NEXT NULL: the page is the last */
  gboolean fits;
} PageCase;

static void
check_page (const PageCase *one, const char *keys)
{
  g_autoptr (GError) error = NULL;
  Page page = { .keys = keys_of (keys),
                .more = one->next != NULL,
                .cursor = json_of (one->end),
                .next = json_of (one->next) };
  scene = steps_begin ("", one->given);
  steps_own_folder (scene, one->columns);
  g_test_message ("%s: %s, %s, %s", one->columns, one->given, one->end, one->next);
  const gboolean ok = guard_page (scene->step, &page, &error);
  assert_guarded (ok, error, one->fits ? NULL : "page.sql");
  page_clear (&page);
  steps_end ();
}

/* The page's last row lies behind the cursor that it was given, and the next row behind that. */
static void
test_a_cursor_goes_on (void)
{
  static const PageCase cases[] = {
    { "id bigint", NULL, "{\"id\":1}", NULL, TRUE },
    { "id bigint", NULL, NULL, NULL, TRUE }, /* no row */
    { "id bigint", "{\"id\":1}", "{\"id\":2}", NULL, TRUE },
    { "id bigint", "{\"id\":1}", "{\"id\":2}", "{\"id\":3}", TRUE },
    { "id bigint", "{\"id\":9}", "{\"id\":10}", "{\"id\":100}", TRUE },
    { "id bigint", "{\"id\":-1}", "{\"id\":0}", "{\"id\":9223372036854775807}", TRUE },
    { "id bigint", "{\"id\":2}", "{\"id\":2}", NULL, FALSE },
    { "id bigint", "{\"id\":2}", "{\"id\":1}", NULL, FALSE },
    { "id bigint", "{\"id\":10}", "{\"id\":9}", NULL, FALSE },
    { "id bigint", "{\"id\":1}", "{\"id\":2}", "{\"id\":2}", FALSE }, /* it would be skipped */
    { "id bigint", "{\"id\":1}", "{\"id\":3}", "{\"id\":2}", FALSE },
    { "id bigint desc", "{\"id\":3}", "{\"id\":2}", "{\"id\":1}", TRUE },
    { "id bigint desc", "{\"id\":2}", "{\"id\":3}", NULL, FALSE },
    { "at date; id bigint", "{\"at\":\"2026-11-21\",\"id\":9}", "{\"at\":\"2026-11-21\",\"id\":10}",
      "{\"at\":\"2026-11-22\",\"id\":1}", TRUE },
    { "at date; id bigint", "{\"at\":\"2026-11-21\",\"id\":9}", "{\"at\":\"2026-11-21\",\"id\":9}",
      NULL, FALSE },
    { "at date; id bigint", "{\"at\":\"2026-11-21\",\"id\":9}", "{\"at\":\"2026-11-20\",\"id\":10}",
      NULL, FALSE },
    { "at date; id bigint", "{\"at\":\"2026-11-21\"}", "{\"at\":\"2026-11-21\",\"id\":1}", NULL,
      TRUE }, /* a tick may give a part of it */
    { "at date; id bigint", "{\"at\":\"2026-11-21\"}", "{\"at\":\"2026-11-20\",\"id\":1}", NULL,
      FALSE },
    { "at date desc; id bigint", "{\"at\":\"2026-11-21\",\"id\":9}",
      "{\"at\":\"2026-11-20\",\"id\":1}", NULL, TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_page (&cases[i], "1 2");
}

/* As far as its type shows it: of a text only that it is another one. */
static void
test_the_order_of_types (void)
{
  static const struct {
    const char *type, *a, *b; /* in their order */
    gboolean known;
  } cases[] = {
    { "date", "2026-11-21", "2026-11-22", TRUE },
    { "timestamp", "2026-11-21 10:20:30", "2026-11-21 10:20:31", TRUE },
    { "timestamptz", "2026-11-21 10:20:30+00", "2026-11-21 10:20:31+00", TRUE },
    { "uuid", "00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b",
      TRUE },
    { "numeric", "9.5", "10", TRUE },
    { "numeric(9,2)", "-2.00", "-1.00", TRUE },
    { "double precision", "1e-3", "1", TRUE },
    { "text", "b", "a", FALSE },
    { "citext", "B", "a", FALSE },
    { "inet", "10.0.0.9", "10.0.0.10", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *columns = g_strdup_printf ("c %s", cases[i].type),
                    *a = g_strdup_printf ("{\"c\":\"%s\"}", cases[i].a),
                    *b = g_strdup_printf ("{\"c\":\"%s\"}", cases[i].b);
    check_page (&(PageCase){ columns, a, b, NULL, TRUE }, "1");
    check_page (&(PageCase){ columns, b, a, NULL, !cases[i].known }, "1");
    check_page (&(PageCase){ columns, a, a, NULL, FALSE }, "1");
  }
}

/* At the end of a page before the last. Beside NULL only that the value is another is known. */
static void
test_null_in_a_cursor (void)
{
  static const PageCase cases[] = {
    { "id bigint", "{\"id\":1}", "{\"id\":null}", "{\"id\":3}", FALSE },
    { "id bigint", "{\"id\":1}", "{\"id\":null}", NULL, TRUE },
    { "at date; id bigint", NULL, "{\"at\":null,\"id\":1}", "{\"at\":null,\"id\":2}", FALSE },
    { "at date null; id bigint", NULL, "{\"at\":null,\"id\":1}", "{\"at\":null,\"id\":2}", TRUE },
    { "at date null; id bigint", "{\"at\":null,\"id\":1}", "{\"at\":null,\"id\":1}", NULL, FALSE },
    { "at date null; id bigint", "{\"at\":\"2026-11-21\",\"id\":5}", "{\"at\":null,\"id\":1}", NULL,
      TRUE },
    { "at date null", "{\"at\":\"2026-11-21\"}", "{\"at\":null}", "{\"at\":\"2026-11-22\"}",
      FALSE },
    { "a text null; b text null", NULL, "{\"a\":null,\"b\":null}", "{\"a\":\"x\",\"b\":null}",
      FALSE },
    { "a text null; b text null", NULL, "{\"a\":\"x\",\"b\":null}", "{\"a\":\"y\",\"b\":null}",
      TRUE },
    { "a text null", "{\"a\":\"null\"}", "{\"a\":null}", NULL, TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_page (&cases[i], "1");
}

/* `args.cursor` of a tick. */
static void
test_a_tick_that_begins_at_a_cursor_is_held_to_it (void)
{
  for (gint64 end = 6; end <= 8; end++) {
    g_autoptr (GError) error = NULL;
    Page page = { .keys = keys_of ("1"), .cursor = json_pack ("{s:I}", "id", end) };
    scene = steps_begin ("", NULL);
    steps_own_folder (scene, "id bigint");
    steps_args (scene, "{\"cursor\":{\"id\":7}}");
    const gboolean ok = guard_page (scene->step, &page, &error);
    assert_guarded (ok, error, end > 7 ? NULL : "page.sql");
    page_clear (&page);
    steps_end ();
  }
}

static void
test_a_key_is_once_on_a_page (void)
{
  static const struct {
    const char *keys;
    gboolean fits;
  } cases[] = { { "", TRUE },     { "1", TRUE },        { "1 2 3", TRUE },
                { "1 1", FALSE }, { "1 2 3 1", FALSE }, { "1 01", TRUE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_page (&(PageCase){ "id bigint", NULL, "{\"id\":1}", NULL, cases[i].fits }, cases[i].keys);
}

/* --- decisions --- */

static void
check_decision (const char *keys, const char *rows, gboolean fits)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) page = keys_of (keys);
  g_autofree char *text = g_strconcat ("key|what", rows, NULL);
  g_autoptr (PgRows) decided = played_rows (text);
  const PgStatement *decide = steps_own_statement ("decide", "SELECT 2");
  g_test_message ("%s: %s", keys, rows);
  const gboolean ok = guard_decided (scene->step, decide, page, decided, &error);
  assert_guarded (ok, error, fits ? NULL : "decide.sql");
}

static void
test_each_key_of_a_page_is_decided_once (void)
{
  static const struct {
    const char *keys, *rows;
    gboolean fits;
  } cases[] = {
    { "1 2", "\n1|removed\n2|removed", TRUE },
    { "1 2", "\n2|removed\n1|removed", TRUE },
    { "", "", TRUE },
    { "1 2", "\n1|removed", FALSE },
    { "1 2", "", FALSE },
    { "1 2", "\n1|removed\n1|removed", FALSE },
    { "1 2", "\n1|removed\n2|removed\n2|removed", FALSE },
    { "1 2", "\n1|removed\n2|removed\n3|removed", FALSE },
    { "1 2", "\n1|removed\n3|removed", FALSE },
    { "1", "\n01|removed", FALSE },
    { "", "\n1|removed", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    scene = steps_begin ("", NULL);
    steps_own_folder (scene, "id bigint");
    steps_own_file (scene, "removed", "orders", APPLY_DELETE);
    check_decision (cases[i].keys, cases[i].rows, cases[i].fits);
    steps_end ();
  }
}

/* PostgreSQL may write the key otherwise than the event has it. */
static void
test_the_key_of_an_event_may_be_written_otherwise (void)
{
  scene = steps_begin ("", NULL);
  steps_own_folder (scene, "id bigint");
  steps_own_file (scene, "removed", "orders", APPLY_DELETE);
  steps_args (scene, "{\"member_id\":\"0A\"}");
  check_decision ("0A", "\n0a|removed", TRUE);
  check_decision ("0A", "\n0a|removed\n0b|removed", FALSE);
  scene->step->blocked = FALSE;
  check_decision ("0A", "\n0a|gone_wrong", FALSE);
  steps_end ();
}

/* A word without a group has no effect that is known. */
static void
test_words (void)
{
  static const struct {
    const char *group, *word;
    gboolean files, fits; /* FILES: in apply/, of another word */
  } cases[] = {
    { "removed", "removed", FALSE, TRUE }, { "removed", "kept", FALSE, FALSE },
    { "removed", "", FALSE, FALSE },       { NULL, "kept", FALSE, TRUE },
    { NULL, "removed", FALSE, FALSE },     { NULL, "changed", FALSE, FALSE },
    { NULL, "kept", TRUE, FALSE },         { NULL, "gone", FALSE, TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *row = g_strdup_printf ("\n1|%s", cases[i].word);
    scene = steps_begin ("", NULL);
    steps_own_folder (scene, "id bigint");
    if (cases[i].group != NULL)
      steps_own_file (scene, cases[i].group, "orders", APPLY_DELETE);
    scene->job.applies = cases[i].files || cases[i].group != NULL;
    check_decision ("1", row, cases[i].fits);
    steps_end ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guard/cursor", test_a_cursor_goes_on);
  g_test_add_func ("/guard/types", test_the_order_of_types);
  g_test_add_func ("/guard/null", test_null_in_a_cursor);
  g_test_add_func ("/guard/tick", test_a_tick_that_begins_at_a_cursor_is_held_to_it);
  g_test_add_func ("/guard/key_twice", test_a_key_is_once_on_a_page);
  g_test_add_func ("/guard/decided", test_each_key_of_a_page_is_decided_once);
  g_test_add_func ("/guard/event", test_the_key_of_an_event_may_be_written_otherwise);
  g_test_add_func ("/guard/words", test_words);
  return config_test_run ();
}
