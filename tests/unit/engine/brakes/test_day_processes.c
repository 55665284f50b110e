/* Several processes that share the rows of a day: whatever order their transactions have, whichever
 * of them are rolled back, no more rows go than the limit, and no run is held before. pruned.days
 * is played as its statements (brakes/sql/day_*.sql) have it. */
#include "engine/brakes/day.h"

#include "support/steps.h"

#define MOST 200
#define PROCESSES 3
#define PARTS 4
#define SEEDS 300

/* The row of the job in pruned.days, and the rows of runs that have committed. */
typedef struct {
  gint64 given, gone;
  guint label;
} Days;

/* A transaction that has taken its rows, and not ended yet. */
typedef struct {
  gint64 rows;
  gboolean commits;
  DayAllowance allowance;
} Open;

typedef struct {
  StepScene *scene;
  GPtrArray *steps;
  char *names[PROCESSES];
  Days days;
  GArray *open; /* of Open */
} World;

static void
end_all (World *world)
{
  for (guint i = 0; i < world->open->len; i++) {
    Open *one = &g_array_index (world->open, Open, i);
    if (one->commits) {
      world->days.gone += one->rows;
      day_took (&one->allowance);
    }
    day_allowance_clear (&one->allowance);
  }
  g_array_set_size (world->open, 0);
}

/* The rows that will have gone when all transactions under way have ended. */
static gint64
will_be_gone (const World *world)
{
  gint64 rows = world->days.gone;
  for (guint i = 0; i < world->open->len; i++)
    if (g_array_index (world->open, Open, i).commits)
      rows += g_array_index (world->open, Open, i).rows;
  return rows;
}

/* To a transaction that waits until what it needs is committed. */
static void
answer (World *world, gint64 rows)
{
  const gint64 sum = will_be_gone (world), left = MOST - world->days.given - rows;
  g_autofree char *day = g_strdup_printf ("rows\n%d", (int)sum),
                  *label = g_strdup_printf ("label\ncount %u", world->days.label),
                  *given = g_strdup_printf ("label|portion|age_us\ncount %u|%d|0",
                                            world->days.label, (int)(left / PARTS)),
                  *counted
                  = g_strdup_printf ("label|portion|age_us\ncount %u|%d|0", world->days.label + 1,
                                     (int)(MAX (0, MOST - sum - rows) / PARTS));
  played_begin ();
  world->scene->step->pg = played_pg ();
  played_answer ("day", day);
  played_answer ("day_label", label);
  played_answer ("day_give", left >= 0 ? given : "label|portion|age_us");
  played_answer ("day_counted", counted);
}

static gboolean
was_asked (const char *statement)
{
  g_auto (GStrv) asked = g_strsplit (played_asked (), " ", -1);
  return g_strv_contains ((const char *const *)asked, statement);
}

/* What PostgreSQL has done for the transaction that has taken ROWS. */
static void
follow (World *world, gint64 rows)
{
  Days *days = &world->days;
  if (was_asked ("day_counted")) {
    days->given = g_ascii_strtoll (played_bound ("day_counted", "given"), NULL, 10);
    days->label++;
  } else if (was_asked ("day_give") && days->given + rows <= MOST)
    days->given += rows + (MOST - days->given - rows) / PARTS;
}

/* It has what it needs. */
static void
went (World *world, const Open *mine)
{
  const Days before = world->days;
  follow (world, mine->rows);
  g_array_append_val (world->open, *mine);
  if (!was_asked ("day_alone") && !was_asked ("day_give"))
    return;
  end_all (world); /* before another one gets the lock, or the row */
  if (!mine->commits)
    world->days = before;
}

/* A transaction of PROCESS with ROWS. FALSE: it is held, because the day is used up. */
static gboolean
step (World *world, guint process, gint64 rows, gboolean commits)
{
  Step *one = world->scene->step;
  world->scene->job.name = world->names[process];
  one->brake = BRAKE_NONE;
  for (guint tries = 1; one->brake == BRAKE_NONE; tries++) {
    g_assert_cmpuint (tries, <=, 2); /* the second one counts */
    g_autoptr (GError) error = NULL;
    Open mine = { .rows = rows, .commits = commits };
    one->rows = rows;
    answer (world, rows);
    const gboolean took = day_take (world->steps, &mine.allowance, &error);
    if (was_asked ("day_alone") || was_asked ("day_give")) /* for which it waited */
      end_all (world);
    if (took) {
      went (world, &mine);
      g_assert_cmpint (will_be_gone (world), <=, MOST);
      return TRUE;
    }
    g_assert_error (error, PRUNED_ERROR, PRUNED_BUSY);
    day_allowance_clear (&mine.allowance);
  }
  g_assert_cmpint (world->days.gone + rows, >, MOST);
  return FALSE;
}

/* Until some were held; then the last row of the day can be had by anybody. */
static void
play (World *world, GRand *random, guint seed)
{
  for (guint i = 0; i < PROCESSES; i++)
    world->names[i] = g_strdup_printf ("seed %u, process %u", seed, i);
  world->days = (Days){ 0 };
  for (guint held = 0; held < 5;) {
    const guint process = (guint)g_rand_int_range (random, 0, PROCESSES);
    const gint64 rows = g_rand_int_range (random, 1, 12);
    held += !step (world, process, rows, g_rand_int_range (random, 0, 10) > 1);
    if (g_rand_int_range (random, 0, 4) == 0)
      end_all (world);
  }
  for (guint i = 0; i < PROCESSES; i++)
    while (step (world, (i + seed) % PROCESSES, 1, TRUE))
      ;
  end_all (world);
  g_assert_cmpint (world->days.gone, ==, MOST);
  for (guint i = 0; i < PROCESSES; i++)
    g_free (world->names[i]);
}

static void
test_all_rows_of_a_day_go_and_none_more (void)
{
  World world = { .scene = steps_begin ("max_rows_per_day = 200\n", NULL),
                  .steps = g_ptr_array_new (),
                  .open = g_array_new (FALSE, FALSE, sizeof (Open)) };
  g_ptr_array_add (world.steps, world.scene->step);
  atomic_store (&world.scene->job.partitions, PARTS / 2);
  for (guint seed = 0; seed < SEEDS; seed++) {
    g_test_message ("seed %u", seed);
    GRand *random = g_rand_new_with_seed (seed);
    play (&world, random, seed);
    g_rand_free (random);
  }
  g_array_unref (world.open);
  g_ptr_array_unref (world.steps);
  steps_end ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/day/processes", test_all_rows_of_a_day_go_and_none_more);
  return config_test_run ();
}
