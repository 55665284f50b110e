/* From argv to exit code: parses, loads jobs and settings, runs the command, says its error once.
 * Also what most commands begin with: a connection, Kafka's settings, a job by its name.
 *
 * Threads: main only. Ownership: said at each function.
 */
#pragma once
#include "cli/command.h"
#include "kafka/kafka.h"
#include "pg/pg.h"

/* COMMANDS and CODE, the jobs that are written in C, end with a NULL name. Returns the exit code.
 */
int cli_main (const Command *commands, const JobCode *code, int argc, char **argv);

/* Sets ERROR and returns CODE_USAGE. */
ExitCode cli_usage (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The same with CODE. */
ExitCode cli_fail (ExitCode code, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Jobs and settings, as commands have them that want a configuration. OVERRIDES may be NULL. */
gboolean cli_load (Cli *cli, const char *file, const char *const *overrides, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The settings once more, from where they came; Cli keeps those it has. NULL with an error that
 * says what is wrong with them. */
Config *cli_reread (Cli *cli, GError **error);

/* --- PostgreSQL
 * ------------------------------------------------------------------------------------ */
/* Connected, schema `pruned` as this binary wants it, or newer if the command takes any; NULL:
 * ERROR has the remedy, the code is CODE_POSTGRES. */
Pg *cli_pg (Cli *cli, GError **error);
/* Connected, whatever is there (migrate). */
Pg *cli_pg_bare (Cli *cli, GError **error);
/* Adds what to do to an error of PG; returns CODE_POSTGRES. */
ExitCode cli_pg_failed (const Pg *pg, GError **error);
/* The same where one SQLSTATE has a remedy of its own. */
ExitCode cli_pg_failed_as (const Pg *pg, const char *sqlstate, const char *remedy, GError **error);

/* --- Kafka
 * ------------------------------------------------------------------------------------------ */
/* `[kafka]` as pairs, NULL-terminated; NULL: no bootstrap servers, or nothing librdkafka knows (the
 * code is CODE_CONFIG). g_strfreev it. */
char **cli_kafka_settings (Cli *cli, GError **error);
/* Adds what to do to an error about TOPIC; returns CODE_KAFKA. */
ExitCode cli_topic_failed (char **settings, const char *topic, GError **error);
/* `<prefix>.<name>`; g_free it. */
char *cli_topic (Cli *cli, const char *name);
/* As a message's partition: by its ce_id and not by its key, which is the same for all ticks of a
 * job. */
#define CLI_SPREAD -2
/* Publishes MESSAGE with our headers, TYPE's; afterwards it has partition and offset. Returns the
 * code. */
ExitCode cli_publish (Cli *cli, KafkaMessage *message, const char *type, const char *ce_id,
                      GError **error);

/* --- names
 * ------------------------------------------------------------------------------------------ */
/* NULL: unknown, the code is CODE_NOT_FOUND. */
Job *cli_job (Cli *cli, const char *name, GError **error);
/* TIME of the command line. FALSE: a usage error. */
gboolean cli_time (const char *text, gint64 *us, GError **error) G_GNUC_WARN_UNUSED_RESULT;
