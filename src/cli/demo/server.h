/* A private PostgreSQL for the demo, with a folder and a socket of its own and no port.
 *
 * Threads: main only. Ownership: server_free stops it; the folder is the caller's.
 */
#pragma once
#include "base/error.h"

typedef struct _DemoServer DemoServer;

/* Creates a cluster below FOLDER and starts it. It may need some time until it listens. */
DemoServer *server_new (const char *folder, GError **error);
void server_free (DemoServer *server);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DemoServer, server_free)

const char *server_url (const DemoServer *server);
gboolean server_is_running (DemoServer *server);
