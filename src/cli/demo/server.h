/* A private PostgreSQL for the demo: own folder, own socket, no port.
 *
 * Threads: main only. Ownership: server_free stops it; the folder is the caller's.
 */
#pragma once
#include "base/error.h"

typedef struct _DemoServer DemoServer;

/* Makes a cluster below FOLDER and starts it; it may not listen yet. */
DemoServer *server_new (const char *folder, GError **error);
void server_free (DemoServer *server);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DemoServer, server_free)

const char *server_url (const DemoServer *server);
gboolean server_is_running (DemoServer *server);
