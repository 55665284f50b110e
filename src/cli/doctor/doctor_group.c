/* The members of the consumer group, compared with the processes that the database knows. A process
 * that is no member gets no messages; a member that is no process gets messages, and does nothing.
 */
#include "base/clock.h"
#include "base/plural.h"
#include "cli/doctor/doctor.h"
#include "engine/clock/group.h"
#include "engine/clock/processes.h"

#define TIMEOUT_MS 10000
#define SQL "src/cli/doctor/sql/"
#define LOOK_AGAIN_US (G_USEC_PER_SEC / 2)
#define BEATS_WITHIN_US (12 * G_USEC_PER_SEC) /* a process reports every five seconds */

typedef struct {
  const char *name;   /* of the group */
  GPtrArray *members; /* of KafkaMember */
  PgRows *rows;       /* of members.sql */
} Group;

static void
group_clear (Group *group)
{
  g_clear_pointer (&group->members, g_ptr_array_unref);
  g_clear_pointer (&group->rows, rows_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Group, group_clear)

static gboolean
ask_members (Doctor *doctor, Group *group, GError **error)
{
  group->name = kafka_setting ((const char *const *)doctor->kafka, "group.id");
  if (group->name == NULL)
    group->name = config_text (doctor->cli->config, "topics", "prefix");
  group->members
      = kafka_group_members ((const char *const *)doctor->kafka, group->name, TIMEOUT_MS, error);
  return group->members != NULL;
}

static gboolean
ask_processes (Doctor *doctor, Group *group)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "seconds", PROCESSES_FORCE_S);
  group->rows = doctor_ask (doctor, "members", SQL "members.sql", values);
  return group->rows != NULL;
}

/* --- who is who --- */

static gboolean
has_member (const Group *group, const char *id)
{
  for (guint i = 0; i < group->members->len; i++)
    if (g_strcmp0 (group_process_of (group->members->pdata[i]), id) == 0)
      return TRUE;
  return FALSE;
}

/* The processes that are no member by their id; of texts, `PID on HOST`. */
static GPtrArray *
outside (const Group *group, gboolean young_too)
{
  GPtrArray *names = g_ptr_array_new ();
  for (int i = 0; i < rows_count (group->rows); i++)
    if (!has_member (group, rows_text (group->rows, i, "id"))
        && (young_too || !rows_bool (group->rows, i, "young")))
      g_ptr_array_add (names, (gpointer)rows_text (group->rows, i, "process"));
  return names;
}

/* The members whose client.id does not say which process they are; `NAME at HOST`. */
static GPtrArray *
nameless (const Group *group)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < group->members->len; i++) {
    const KafkaMember *member = group->members->pdata[i];
    if (group_process_of (member) == NULL)
      g_ptr_array_add (names, g_strdup_printf ("%s at %s", member->client_id, member->host));
  }
  return names;
}

static char *
joined (GPtrArray *names)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", (const char *)names->pdata[i]);
  return g_string_free (text, FALSE);
}

/* --- findings --- */

static void
say_versions (Doctor *doctor, const Group *group)
{
  g_autoptr (GString) others = g_string_new (NULL);
  for (guint i = 0; i < group->members->len; i++) {
    const KafkaMember *member = group->members->pdata[i];
    if (!g_str_has_prefix (member->client_id, KAFKA_MEMBER_OF PRUNED_VERSION "/"))
      g_string_append_printf (others, "%s%s at %s", others->len > 0 ? ", " : "", member->client_id,
                              member->host);
  }
  g_autofree char *count = doctor_count (group->members->len, "member");
  if (others->len > 0)
    doctor_warn (
        doctor, "group", "pruned version",
        "of %s of group %s these have another version than %s, by their client.id: %s (two versions can run side by side"
        " during an upgrade)",
        count, group->name, PRUNED_VERSION, others->str);
  else
    doctor_ok (doctor, "group", "group %s has %s%s", group->name, count,
               group->members->len > 0 ? ", all of this version" : " now");
}

static void
say_strangers (Doctor *doctor, const Group *group)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *strangers = group_strangers (doctor->pg, group->members, &error);
  if (error != NULL)
    doctor_error (doctor, CODE_POSTGRES, "members", doctor->grants, "could not be read: %s",
                  error->message);
  else if (*strangers != '\0')
    doctor_error (
        doctor, CODE_KAFKA, "members", "pruned processes",
        "the consumer group %s has members that this database does not know: %s. They work for a copy of it, or this is"
        " the copy, seen from %s: give the copy another [topics] prefix and run there: pruned migrate --identity new",
        group->name, strangers, g_get_host_name ());
}

/* More of them than there are processes that they can be. */
static void
say_nobodys (Doctor *doctor, const Group *group)
{
  g_autoptr (GPtrArray) names = nameless (group), processes = outside (group, TRUE);
  if (names->len <= processes->len)
    return;
  const guint n = names->len - processes->len;
  g_autofree char *words = joined (names), *remedy = doctor_group_command (doctor, group->name);
  doctor_error (doctor, CODE_KAFKA, "members", remedy,
                "%u %s of the consumer group %s %s no process of pruned (by client.id one of: %s)."
                " Partitions are given to it, and nobody handles their messages: end it, or give"
                " it a group of its own",
                n, plural (n, "member", "members"), group->name, plural (n, "is", "are"), words);
}

/* TRUE: each of the processes of ROW that is outside has reported since SINCE. */
static gboolean
have_reported (const Group *group, const Group *since)
{
  for (int i = 0; i < rows_count (since->rows); i++)
    for (int k = 0; k < rows_count (group->rows); k++)
      if (g_str_equal (rows_text (since->rows, i, "id"), rows_text (group->rows, k, "id"))
          && g_str_equal (rows_text (since->rows, i, "seen_at"),
                          rows_text (group->rows, k, "seen_at"))
          && !has_member (group, rows_text (group->rows, k, "id")))
        return FALSE;
  return TRUE;
}

/* A process that was killed is known for a while: one that runs reports meanwhile. */
static void
say_outside (Doctor *doctor, const Group *since)
{
  const gint64 until_us = clock_monotonic_us () + BEATS_WITHIN_US;
  gboolean reported = FALSE;
  while (!reported && clock_monotonic_us () < until_us) {
    g_auto (Group) group = { NULL };
    g_usleep (LOOK_AGAIN_US);
    if (!ask_members (doctor, &group, NULL) || !ask_processes (doctor, &group))
      return;
    g_autoptr (GPtrArray) processes = outside (&group, FALSE), names = nameless (&group);
    reported = have_reported (&group, since);
    if (processes->len <= names->len)
      return;
    g_autofree char *words = joined (processes);
    const guint n = processes->len - names->len;
    if (reported)
      doctor_error (doctor, CODE_KAFKA, "members", "pruned processes",
                    "%u %s, but %s no member of the consumer group %s, and %s no messages: %s", n,
                    plural (n, "process runs", "processes run"), plural (n, "is", "are"),
                    group.name, plural (n, "gets", "get"), words);
  }
}

void
doctor_group (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  g_auto (Group) group = { NULL };
  if (!ask_members (doctor, &group, &error)) {
    doctor_ok (doctor, "group", "not checked: %s", error->message);
    return;
  }
  say_versions (doctor, &group);
  if (doctor->pg == NULL || !doctor->migrated)
    return;
  say_strangers (doctor, &group);
  if (!ask_processes (doctor, &group))
    return;
  say_nobodys (doctor, &group);
  g_autoptr (GPtrArray) processes = outside (&group, FALSE), names = nameless (&group);
  if (processes->len > names->len)
    say_outside (doctor, &group);
}
