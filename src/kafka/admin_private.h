/* Shared by the files of the admin client: admin.c looks topics up, admin_make.c makes them,
 * admin_settings.c compares and changes their settings.
 *
 * Threads: as admin.h.
 */
#pragma once
#include "kafka/admin.h"
#include "kafka/client.h"

struct _KafkaAdmin {
  rd_kafka_t *rk;
  char *refused; /* why the broker refused to authenticate; NULL: not refused, or not reached */
};
