/* From argv to exit code: parses, loads jobs and settings, runs the command, prints its error once.
 * Also what most commands begin with: the connections (connections.c), a job by its name.
 *
 * Threads: main only. Ownership: see each function.
 */
#pragma once
#include "cli/command.h"
#include "engine/view/row/item.h"
#include "kafka/kafka.h"
#include "pg/pg.h"

/* COMMANDS and CODE, the jobs that are written in C, end with a NULL name. Returns the exit code.
 */
int cli_main (const Command *commands, const JobCode *code, int argc, char **argv);

/* Sets ERROR and returns CODE_USAGE. */
ExitCode cli_usage (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The same with CODE. */
ExitCode cli_fail (ExitCode code, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Ends a table of jobs; one without a row says how there can be one. */
void cli_end_jobs (Output *out);

/* Loads jobs and settings for commands that need a configuration. OVERRIDES can be NULL. */
gboolean cli_load (Cli *cli, const char *file, const char *const *overrides, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Without `[run] jobs`, takes the built-in jobs out whose tables the database lacks. FALSE:
 * PostgreSQL does not answer, and the command is the daemon. */
gboolean cli_look_at_tables (Cli *cli, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Reads jobs and settings again from the same sources, and looks with PG for the tables of built-in
 * jobs that NOW left out; Cli keeps the ones it has. NULL: ERROR says what is wrong with them. */
Jobs *cli_reload_jobs (Cli *cli, const Jobs *now, Pg *pg, JobsCheck check, gpointer of_check,
                       GError **error);
Config *cli_reread (Cli *cli, Jobs *jobs, GError **error);

/* --- PostgreSQL ------------------------------------------------------------------------------- */
/* A connection to a database whose schema `pruned` has this binary's version (any version, if the
 * command allows it). NULL: ERROR has the remedy, the code is CODE_POSTGRES. */
Pg *cli_pg (Cli *cli, GError **error);
/* As cli_pg, with a connection that waits an hour for an answer. */
Pg *cli_pg_patient (Cli *cli, GError **error);
/* The check of the schema that cli_pg does. FALSE: ERROR has the remedy. */
gboolean cli_pg_schema (Cli *cli, Pg *pg, GError **error);
/* A connection, without a check of the schema (migrate). */
Pg *cli_pg_bare (Cli *cli, GError **error);
/* Keeps PG, a connection of this command, for the next cli_pg or cli_pg_bare: each connection costs
 * the server a process. Taken; NULL closes the one that is kept. */
void cli_pg_keep (Pg *pg);
/* Adds the remedy to an error of PG; returns CODE_POSTGRES. */
ExitCode cli_pg_failed (const Pg *pg, GError **error);
/* What END of a look for a row with PG is as an exit code; ERROR is completed. */
ExitCode cli_row_end (ItemEnd end, const Pg *pg, GError **error);
/* As cli_pg_failed, for commands of the owner: a right that is missing has the remedy to run them
 * as the owner. */
ExitCode cli_pg_failed_owner (Cli *cli, const Pg *pg, GError **error);

/* The role of the settings, and the owners of the tables (sql/owners.sql), read on a connection of
 * its own. NULL: not known. */
PgRows *cli_owners (Cli *cli);

/* --- Kafka ------------------------------------------------------------------------------------ */
/* `[kafka]` as pairs, NULL-terminated. NULL: no bootstrap servers, or a setting that librdkafka
 * does not know (the code is CODE_CONFIG). g_strfreev it. */
char **cli_kafka_settings (Cli *cli, GError **error);
/* Whether the daemon can have its clients with `[kafka]`: some values only suit others. */
gboolean cli_kafka_consumer_check (Cli *cli, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds the remedy to an error about TOPIC; returns CODE_KAFKA. */
ExitCode cli_topic_failed (char **settings, const char *topic, GError **error);
/* `<prefix>.<name>`; g_free it. */
char *cli_topic (Cli *cli, const char *name);
/* A message's partition: chosen by its ce_id, not by its key, which all ticks of a job share. */
#define CLI_SPREAD -2
/* Publishes MESSAGE with the headers of TYPE; afterwards it has partition and offset. Returns the
 * exit code. */
ExitCode cli_publish (Cli *cli, KafkaMessage *message, const char *type, const char *ce_id,
                      GError **error);

/* --- names ------------------------------------------------------------------------------------ */
/* NULL: unknown, the code is CODE_NOT_FOUND. Of a refused job what stands for it. */
Job *cli_job (Cli *cli, const char *name, GError **error);
/* Writes a log line for each job that is refused. */
void cli_say_refused (Cli *cli);
/* Parses a TIME of the command line. FALSE: a usage error. */
gboolean cli_time (const char *text, gint64 *us, GError **error) G_GNUC_WARN_UNUSED_RESULT;
