/* Listens and limits the connections: their number in all, their number from one address, and their
 * duration. A few places are reserved for pages that are always answered. When the reserved places
 * are full, a new connection replaces the oldest one there that has not sent its request yet.
 *
 * Invariant: no connection lasts longer than DOOR_S, whatever the client sends or does not read;
 * one connection is one request.
 *
 * Threads: door_open, door_close: main; door_asked, door_gone: the server's threads.
 * Ownership: accepted sockets belong to the server.
 */
#pragma once
#include "web/proxies.h"

#define DOOR_S 5          /* the longest duration of a connection */
#define DOOR_OF_ADDRESS 8 /* connections from one address, unless it is a proxy that is trusted */
#define DOOR_OF_ALL 32    /* connections in all */
#define DOOR_KEPT 2       /* reserved places beyond those */

typedef struct _Door Door;
/* Hands the accepted connection FD to the server; FALSE: the server refused it. Thread: the door's.
 */
typedef gboolean (*DoorEnter) (int fd, const struct sockaddr *address, socklen_t size,
                               gpointer data);

/* LISTEN is `host:port`: an address, `[::1]:port`, a name, `*:port` (all), `:port` (127.0.0.1). On
 * error ERROR is PRUNED_FATAL. PROXIES are borrowed. */
Door *door_new (const char *listen, const Proxies *proxies, GError **error);
/* Whether LISTEN is such a text, and its host has an address. Nothing is opened. */
gboolean door_check (const char *listen, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Whether only this machine reaches LISTEN. FALSE as well: it is no such text. */
gboolean door_is_loopback (const char *listen);
/* Begins to accept. PRUNED_OUTAGE: there is no thread for it. */
gboolean door_open (Door *door, DoorEnter enter, gpointer data, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Accepts no more connections; open ones stay until the server closes them. */
void door_close (Door *door);
void door_free (Door *door); /* NULL: nothing */

/* The request on FD is complete. FALSE: it must be refused, because FD has a reserved place and the
 * page is not one that is ALWAYS answered. */
gboolean door_asked (Door *door, int fd, gboolean always);
/* The server is about to close FD. */
void door_gone (Door *door, int fd);
