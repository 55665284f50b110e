/* Each job is of one kind, by its function in C or its sentence. */
#include "engine/job/job_kind.h"

static gboolean
step (Step *const *of, guint n, gboolean *fits, GError **error)
{
  (void)of, (void)error;
  return TRUE;
}

static gboolean
is_plain (gpointer leased)
{
  return leased != NULL;
}

static const JobErrand errand = { .is_plain = is_plain }, lonely = { .cancel = NULL };
static const JobCode stepped = { .step = step }, on_errand = { .errand = &errand },
                     on_lonely_errand = { .errand = &lonely }, planned = { .on_failure = "x" };

static void
test_each_job_is_of_one (void)
{
  const Sentence deletes = { .kind = SENTENCE_DELETE }, archives = { .kind = SENTENCE_ARCHIVE },
                 objects = { .kind = SENTENCE_OBJECTS },
                 partitions = { .kind = SENTENCE_PARTITIONS };
  const struct {
    const JobCode *code;
    const Sentence *sentence;
    JobKindName kind;
  } cases[] = { { NULL, NULL, KIND_PAGE },
                { &planned, NULL, KIND_PAGE },
                { &stepped, NULL, KIND_CODED },
                { &on_errand, NULL, KIND_ERRAND },
                { NULL, &deletes, KIND_PAGE },
                { NULL, &archives, KIND_PAGE },
                { NULL, &objects, KIND_OBJECTS },
                { NULL, &partitions, KIND_PARTITIONS },
                { &on_lonely_errand, NULL, KIND_ERRAND } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (job_kind_of (cases[i].code, cases[i].sentence)->name, ==, cases[i].kind);
}

static void
test_an_erasure_only_starts_others (void)
{
  g_assert_cmpint (job_kind_erasure->name, ==, KIND_ERASURE);
  g_assert_true (job_kind_erasure->starts && !job_kind_erasure->rows && !job_kind_erasure->shares);
}

/* What a step leases is asked of a store, so it cannot be rolled back with others. */
static void
test_errands_share_no_step (void)
{
  const Sentence objects = { .kind = SENTENCE_OBJECTS };
  g_assert_false (job_kind_of (&on_errand, NULL)->shares);
  g_assert_false (job_kind_of (NULL, &objects)->shares);
  g_assert_true (job_kind_of (&stepped, NULL)->shares);
}

static void
test_errands_that_share_say_so (void)
{
  g_assert_true (job_kind_errands_share (&on_errand));
  g_assert_false (job_kind_errands_share (&on_lonely_errand));
  g_assert_false (job_kind_errands_share (&stepped));
  g_assert_false (job_kind_errands_share (NULL));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job_kind/each_job_is_of_one", test_each_job_is_of_one);
  g_test_add_func ("/job_kind/erasure", test_an_erasure_only_starts_others);
  g_test_add_func ("/job_kind/errands_share_no_step", test_errands_share_no_step);
  g_test_add_func ("/job_kind/errands_that_share_say_so", test_errands_that_share_say_so);
  return g_test_run ();
}
