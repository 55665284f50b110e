/* A portion: the groups or projects that one step is about, and what each part of the work does to
 * it (destroy.c says which part does what).
 *
 * Threads: as pruned/job.h. Ownership: array literals belong to the Portion.
 */
#pragma once
#include "pruned/job.h"

typedef struct {
  const char *kind; /* "projects", "groups" */
  char *projects;   /* array literals of ids; "{}": none */
  char *namespaces; /* the projects' own namespaces */
  char *groups;
  const char *top, *root, *actor, *catalogue;
  const char *spent; /* walk_rights */
  char *limit; /* rows of a table that this step may remove; once cut, of all tables together */
  gboolean cut;
  int in_vain;       /* steps before this one, in a row, that left something and removed nothing */
  gint64 removed;    /* rows that this step removed */
  gboolean own_gone; /* all rows of tables with a file of their own are removed */
  gboolean actor_goes; /* the actor is a bot of one of the projects or groups */
  gboolean moved;      /* part of it has moved elsewhere, or more has come: nothing was touched */
  gboolean unwanted;   /* and the deletion is not wanted any more */
} Portion;

/* What goes by files of the job, an array literal; what keys tie to it goes, too, but no users. */
#define PORTION_TABLES                                                                             \
  "{namespaces,projects,members,routes,redirect_routes,notification_settings,ci_job_artifacts,namespace_details,group_deletion_schedules}"

/* Its values under the names that statements use. */
#define PORTION(portion)                                                                           \
  "project", (portion)->projects, "namespace", (portion)->namespaces, "group", (portion)->groups,  \
      "top", (portion)->top, "limit", (portion)->limit, NULL

gboolean portion_is_groups (const Portion *portion);
/* Whether what is left must be kept by a trigger or a rule: this step and those before it have
 * removed nothing. A row that the application was just writing stays for the next step, so one such
 * step says nothing. */
gboolean portion_is_kept (const Portion *portion);
/* How many ids an array literal has. */
guint portion_count_ids (const char *array);
/* A statement that changes rows, and the columns that it returns (as step_queue_apply). */
typedef struct {
  const char *file, *columns;
} Effect;
/* Queues EFFECTS; the last one has no file. */
gboolean portion_queue (Step *step, const Portion *portion, const Effect *effects, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* FALSE with an error if there are ROWS (`tab`, `id`): they belong elsewhere and a namespace's key
 * would remove them, or forbids to delete it (`namespaces`). */
gboolean portion_refuse_stranger (Step *step, const PgRows *rows, GError **error);
/* FALSE with an error: namespace ID lies below the group, but nothing of it removes it. */
gboolean portion_refuse_foreign (Step *step, const char *id, GError **error);
/* MEMBERS were removed with the portion: announces them and removes bots. */
void portion_note_members (Step *step, Portion *portion, const PgRows *members);
/* Starts users.destroy for a bot, OF_PROJECT or of a group. */
void portion_destroy_bot (Step *step, const char *user, gboolean of_project);
/* Removes the portion itself: paths, own rows, outcomes. */
gboolean portion_finish (Step *step, const Portion *portion, GError **error);

/* FALSE with an error: a row of the group, or below it, is held by `pruned restore`. */
gboolean portion_refuse_held (Step *step, const char *group, GError **error);
/* Checks the whole group before anything of it is removed: FALSE if something elsewhere forbids it.
 */
gboolean portion_refuse_group (Step *step, const char *group, const char *catalogue,
                               GError **error);
