/* The rights in Kafka that a daemon, a producer and a reader need, as `kafka-acls` grants them:
 * one table for `pruned grants --kafka` and `pruned doctor`.
 *
 * Threads: main only. Ownership: an array of acls_of owns its Acls.
 */
#pragma once
#include "cli/cli.h"
#include "kafka/rights.h"

typedef enum { ACL_DAEMON, ACL_PRODUCER, ACL_READER } AclRole;

typedef struct {
  const char *operation; /* as `kafka-acls` names it */
  KafkaRight right;
  gboolean group, prefixed; /* else: of a topic; of exactly this name */
  char *name;
} Acl;

/* What ROLE needs with the jobs in force, whose principal is PRINCIPAL. KAFKA: settings. */
GPtrArray *acls_of (const Cli *cli, const char *const *kafka, AclRole role, const char *principal);
/* Whether ACL lets do RIGHT with the topic NAME. */
gboolean acl_covers (const Acl *acl, KafkaRight right, const char *name);
/* The command that grants ACL to PRINCIPAL. g_free it. */
char *acl_command (const char *const *kafka, const Acl *acl, const char *principal);
/* GIVEN, with the type `User:` unless it has one; NULL: the user of the settings. g_free it. */
char *acl_principal (const char *const *kafka, const char *given);
/* Prints the commands of ROLE; PRINCIPAL as acl_principal takes it. */
ExitCode acls_print (Cli *cli, AclRole role, const char *principal, GError **error);
