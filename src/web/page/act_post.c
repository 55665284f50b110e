#include "web/page/act_post.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/job/in_force.h"
#include "web/door.h"
#include "web/line.h"
#include "web/page/act_form.h"
#include "web/page/act_run.h"
#include "web/page/frame.h"

#include <string.h>

#define DEADLINE_US (2 * G_USEC_PER_SEC)
#define MOST_MS 3000 /* a connection lasts DOOR_S */
#define TELL_EVERY_S 60

struct _ActPost {
  Who *who;
  Line line;
  const ActCommand *command;
  pthread_mutex_t one; /* held by who does something: one at a time */
};

/* --- life ------------------------------------------------------------------------------------- */

static Who *
read_who (const Config *config, GError **error)
{
  return who_new (&(WhoSettings){ config_text (config, "http", "trusted_proxies"),
                                  config_text (config, "http", "user_header"),
                                  config_text (config, "http", "group_header"),
                                  config_text (config, "http", "roles"),
                                  config_text (config, "http", "tokens") },
                  error);
}

static gboolean
is_consistent (const Config *config, const Who *who, GError **error)
{
  const char *listen = config_text (config, "http", "listen");
  if (!config_bool (config, "http", "page"))
    return error_fatal (error, "[http] actions: on needs page = on");
  if (!who_can_tell (who) && !door_is_loopback (listen))
    return error_fatal (error,
                        "[http] actions: on, and listen = %s is no loopback address: set "
                        "trusted_proxies and user_header, or tokens, so that it is known who acts",
                        listen);
  return TRUE;
}

gboolean
act_post_check (const Config *config, GError **error)
{
  if (!config_bool (config, "http", "actions"))
    return TRUE;
  Who *who = read_who (config, error);
  const gboolean ok = who != NULL && is_consistent (config, who, error);
  who_free (who);
  return ok;
}

ActPost *
act_post_new (const Config *config, const ActCommand *command, GError **error)
{
  Who *who = read_who (config, error);
  if (who == NULL)
    return NULL;
  ActPost *post = g_new0 (ActPost, 1);
  post->who = who;
  post->command = command;
  line_open (&post->line, config);
  pthread_mutex_init (&post->one, NULL);
  return post;
}

void
act_post_free (ActPost *post)
{
  if (post == NULL)
    return;
  who_free (post->who);
  line_close (&post->line);
  pthread_mutex_destroy (&post->one);
  g_free (post);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* STATUS with a page that says TITLE and TEXT, line by line. */
static guint
say (WebReply *reply, guint status, const char *title, const char *text)
{
  g_autofree char *etag = NULL;
  Html *html = frame_begin (views_find (ACT_PATH));
  html_open (html, HTML_SECTION);
  html_set (html, HTML_AT_ID, "act");
  html_open (html, HTML_P);
  html_set (html, HTML_AT_CLASS, status < 300 ? "good" : "bad");
  html_add (html, title);
  html_close (html);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (*g_strchomp (*line) != '\0')
      html_text (html, HTML_P, *line);
  html_close (html);
  g_autofree char *page = frame_end (html, &etag);
  reply->content_type = "text/html; charset=utf-8";
  g_string_assign (reply->body, page);
  return status;
}

static guint
refuse (const WebRequest *request, WebReply *reply, guint status, const char *why)
{
  if (status == 403)
    log_warning_every (TELL_EVERY_S, "http action", "The page refused an action", why);
  return say (reply, status, "Nothing was done.", why);
}

/* --- doing ------------------------------------------------------------------------------------ */

static void
add_option (GPtrArray *argv, const char *name, const char *value)
{
  if (value != NULL && *value != '\0')
    g_ptr_array_add (argv, g_strdup_printf ("--%s=%s", name, value));
}

/* The command line. */
static GPtrArray *
command_of (const ActPost *post, const Act *act, const WebRequest *request)
{
  const char *const *overrides = post->command->overrides;
  const gboolean is_held = *act_form_given (request, "rows") != '\0';
  GPtrArray *argv = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (argv, g_strdup ("/proc/self/exe"));
  if (post->command->file != NULL) {
    g_ptr_array_add (argv, g_strdup ("-c"));
    g_ptr_array_add (argv, g_strdup (post->command->file));
  }
  for (; overrides != NULL && *overrides != NULL; overrides++) {
    g_ptr_array_add (argv, g_strdup ("-s"));
    g_ptr_array_add (argv, g_strdup (*overrides));
  }
  g_ptr_array_add (argv, g_strdup (act->name));
  if (act->of != ACT_OF_ALL)
    g_ptr_array_add (argv, g_strdup (act_form_field (request, "what")));
  if (act->of == ACT_OF_RUN)
    add_option (argv, "step", act_form_field (request, "step"));
  if (is_held && (act->of == ACT_OF_HOLD || g_str_equal (act->name, "approve")))
    add_option (argv, "rows", act_form_field (request, "rows"));
  if (act->of == ACT_OF_HOLD)
    g_ptr_array_add (argv, g_strdup ("--yes"));
  if (act->option[0] != NULL)
    add_option (argv, act->option[0], act_form_field (request, act->option[0]));
  if (!g_str_equal (act->name, "tick"))
    add_option (argv, "reason", act_form_field (request, "reason"));
  g_ptr_array_add (argv, NULL);
  return argv;
}

/* For PERSON the next command is; it says so by the id. */
static char *
note_person (Pg *pg, const Person *person, GError **error)
{
  g_autofree char *id = g_uuid_string_random ();
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "act_id", id);
  pg_values_set (values, "person", person->name);
  g_autoptr (PgRows) rows
      = pg_begin (pg, error) ? pg_run_file (pg, "src/web/sql/page_act.sql", values, error) : NULL;
  const gboolean ok = rows != NULL && pg_commit (pg, error);
  if (!ok)
    pg_rollback (pg);
  return ok ? g_steal_pointer (&id) : NULL;
}

/* Looks how it stands, and notes who asks. *STATUS 200: the id to go on with; else WHY. NULL
 * without *STATUS: an error. g_free what is returned, and WHY. */
static char *
prepare (ActPost *post, const Act *act, const WebRequest *request, const Person *person, char **why,
         GError **error)
{
  g_auto (ActSeen) seen = { 0 };
  if (!line_take (&post->line)) {
    *why = g_strdup ("Others wait for PostgreSQL: try again.");
    return NULL;
  }
  Pg *pg = post->line.pg;
  in_force_renew ();
  pg_set_most (pg, 0, clock_monotonic_us () + DEADLINE_US);
  char *id = NULL;
  const gboolean looked = pg_begin_read_only (pg, error)
                          && act_look (act, act_form_field (request, "what"), pg, &seen, error);
  pg_rollback (pg);
  if (looked && (*why = act_form_changed (act, request, &seen)) == NULL)
    id = note_person (pg, person, error);
  line_give (&post->line);
  return id;
}

static guint
give (WebReply *reply, const Act *act, const ActDone *done)
{
  static const struct {
    int code;
    guint status;
    const char *title;
  } ENDS[] = {
    { 0, 200, "Done." },           { 1, 409, "Nothing was done." }, { 6, 409, "Nothing was done." },
    { 7, 200, "Done, but look:" }, { 8, 200, "Done, but look:" },
  };
  if (!done->has_ended)
    return say (reply, 202, "It is not done yet.",
                "The command still runs. The journal says when it is done.");
  for (guint i = 0; i < G_N_ELEMENTS (ENDS); i++)
    if (done->code == ENDS[i].code)
      return say (reply, ENDS[i].status, ENDS[i].title, done->said);
  return say (reply, 503, "It failed.", done->said);
}

static guint
do_it (ActPost *post, const Act *act, const WebRequest *request, const Person *person,
       WebReply *reply)
{
  g_autofree char *why = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (ActDone) done = { 0 };
  g_autofree char *id = prepare (post, act, request, person, &why, &error);
  if (why != NULL)
    return refuse (request, reply, 409, why);
  g_autoptr (GPtrArray) argv = id != NULL ? command_of (post, act, request) : NULL;
  if (id == NULL || !act_run ((char **)argv->pdata, CONFIG_PAGE_ACT, id, MOST_MS, &done, &error))
    return refuse (request, reply, 503, error->message);
  log_info ("Action of the page", "command", act->name, "object",
            act->of != ACT_OF_ALL ? act_form_field (request, "what") : "everything", "user",
            person->name);
  return give (reply, act, &done);
}

/* 0: what is asked is clear, and PERSON may. Else it is answered. */
static guint
judge (ActPost *post, const char *hosts, const WebRequest *request, WebReply *reply,
       const Act **act, Person *person)
{
  g_autoptr (GError) error = NULL;
  if (post == NULL)
    return refuse (request, reply, 403, "[http] actions is off: this page only reads.");
  if (!act_form_is_ours (hosts, request))
    return refuse (request, reply, 403,
                   "The request does not come from this page: its Origin is not the host that was "
                   "asked, nor one of [http] hosts.");
  if (g_hash_table_size (request->filters) > 0 || request->is_odd)
    return refuse (request, reply, 400, "An action has no query; a token least of all.");
  if (request->form == NULL)
    return refuse (request, reply, request->form_status, "The form cannot be read.");
  if (!who_of (post->who, request, act_form_field (request, "token"), person, &error))
    return refuse (request, reply, error->code == PRUNED_REJECT ? 403 : 503, error->message);
  *act = act_find (act_form_field (request, "do"));
  if (*act == NULL)
    return refuse (request, reply, 404, "There is no such action.");
  if (person->role < (*act)->role) {
    g_autofree char *why = g_strdup_printf ("%s may %s, and this wants %s.", person->name,
                                            role_word (person->role), role_word ((*act)->role));
    return refuse (request, reply, 403, why);
  }
  const char *version = act_form_field (request, "version"); /* a script need not say one */
  if (version != NULL && !g_str_equal (version, PRUNED_VERSION))
    return refuse (request, reply, 409,
                   "The page was opened with another version of pruned: open it again.");
  if (!act_form_fits (*act, request))
    return refuse (request, reply, 400, "The form has a field that this action does not know.");
  return 0;
}

guint
act_post_answer (ActPost *post, const char *hosts, const WebRequest *request, WebReply *reply)
{
  const Act *act = NULL;
  g_auto (Person) person = { 0 };
  guint status = judge (post, hosts, request, reply, &act, &person);
  if (status != 0)
    return status;
  if (pthread_mutex_trylock (&post->one) != 0)
    return refuse (request, reply, 503, "Another action is under way: try again.");
  status = do_it (post, act, request, &person, reply);
  pthread_mutex_unlock (&post->one);
  return status;
}
