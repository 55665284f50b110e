/* The state of the demo: made by setup.c, run by demo.c, shown by show.c; tools.c serves them all.
 *
 * Threads: main only. Ownership: demo.c.
 */
#pragma once
#include "cli/cli.h"
#include "cli/demo/child.h"
#include "cli/demo/server.h"

#define DEMO_SELF "/proc/self/exe"

typedef struct {
  Cli *cli;
  char *folder, *conf, *log; /* everything is below the folder */
  char *objects;             /* the local store */
  char *prefix;              /* of the topics */
  char *bootstrap;           /* brokers of the Kafka in use; NULL: not known yet */
  gboolean external_kafka;   /* --kafka: not the embedded one */
  DemoServer *server;
  Child *daemon;
  Pg *pg;
  PgRows *before; /* counts */
  guint files;    /* in the store, before */
  guint ticks;    /* sent */
  gint64 began_us;
} Demo;

/* Prints a title: bold on a terminal with colours. */
void demo_title (Demo *demo, const char *text);

/* From here on Ctrl-C, SIGTERM and SIGHUP do not end the process: the demo cleans up first. */
void demo_catch_signals (void);
/* TRUE: one of them was received; ERROR is set. */
gboolean demo_is_interrupted (GError **error);
void demo_forget_interrupt (void);

/* Runs a statement of src/cli/demo/sql in a transaction of its own. */
PgRows *demo_ask (Demo *demo, const char *file, GError **error);

/* The steps of the demo. */
gboolean demo_make_server (Demo *demo, GError **error);  /* and connects */
gboolean demo_fill (Demo *demo, GError **error);         /* tables, rows, files, schema pruned */
gboolean demo_start_daemon (Demo *demo, GError **error); /* and learns the address of its Kafka */
/* FALSE: it has ended by itself; ERROR has the end of its log. */
gboolean demo_daemon_is_there (Demo *demo, GError **error);
/* Shows a live line until no work is due soon, for at most 40 s. */
gboolean demo_watch (Demo *demo, GError **error);
/* Shows the changes of the database, the outcomes, and the failures. */
gboolean demo_show (Demo *demo, GError **error);
gboolean demo_tick (Demo *demo, const char *job, GError **error);
/* Runs `pruned` with the arguments (NULL-terminated), and shows the command and its output. */
gboolean demo_type (Demo *demo, GError **error, const char *argument, ...) G_GNUC_NULL_TERMINATED;
