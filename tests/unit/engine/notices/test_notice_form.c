/* What is posted: texts of data stay texts in each form, and links lead to the right view. */
#include "engine/notices/notice_form.h"

#define JSON_BEGIN "{\"kind\":\"failed\",\"job\":\"a.b\",\"says\":"

static const struct {
  const char *says, *run_id, *commands, *page, *json, *slack;
} CASES[] = {
  /* A text of the data calls nobody, and ends no code. */
  { "<!channel> & `x`", "", "[\"pruned plan a.b\"]", "",
    JSON_BEGIN "\"<!channel> & `x`\",\"run_id\":null,\"at\":\"2026-12-01T02:00:00.000000Z\","
               "\"commands\":[\"pruned plan a.b\"],\"link\":null,\"prefix\":\"pruned\"}",
    "{\"text\":\"*a.b*: &lt;!channel&gt; &amp; 'x'\\n`pruned plan a.b`\"}" },
  { "x", "", "[]", "https://e.org/p/",
    JSON_BEGIN "\"x\",\"run_id\":null,\"at\":\"2026-12-01T02:00:00.000000Z\",\"commands\":[],"
               "\"link\":\"https://e.org/p/job?name=a.b\",\"prefix\":\"pruned\"}",
    "{\"text\":\"*a.b*: x\\n<https://e.org/p/job?name=a.b|Look>\"}" },
  { "x", "1-2", "[]", "https://e.org",
    JSON_BEGIN "\"x\",\"run_id\":\"1-2\",\"at\":\"2026-12-01T02:00:00.000000Z\",\"commands\":[],"
               "\"link\":\"https://e.org/run?id=1-2\",\"prefix\":\"pruned\"}",
    "{\"text\":\"*a.b*: x\\n<https://e.org/run?id=1-2|Look>\"}" },
};

static void
test_forms (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    const Notice notice = { .kind = "failed",
                            .job = "a.b",
                            .says = CASES[i].says,
                            .run_id = CASES[i].run_id,
                            .commands = CASES[i].commands,
                            .at = "2026-12-01 02:00:00+00",
                            .prefix = "pruned",
                            .page = CASES[i].page };
    g_autofree char *json = notice_form (&notice, "json"), *slack = notice_form (&notice, "slack");
    g_assert_cmpstr (json, ==, CASES[i].json);
    g_assert_cmpstr (slack, ==, CASES[i].slack);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/notices/notice_form/forms", test_forms);
  return g_test_run ();
}
