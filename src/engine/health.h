/* Trouble with Kafka while the daemon runs (brokers away, a topic missing), logged when it changes.
 * Thread: main.
 */
#pragma once
#include "engine/service/service.h"

/* Is Kafka well? Trouble that two looks in a row saw is logged once, and its end is logged once. */
gboolean health_look (Service *service);
