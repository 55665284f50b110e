/* Who may come in: listens, and lets in so many at a time, so many of one address, each for so
 * long. A few places are kept for those who ask for nothing but a page that is always answered; of
 * those in them the newest comes before one who has not asked yet.
 *
 * Invariant: nobody is in for longer than DOOR_S in all, whatever they send or do not read; one
 * connection is one request. Threads: door_open, door_close: main; door_asked, door_gone: the
 * server's threads. Ownership: sockets are the server's once let in.
 */
#pragma once
#include "base/error.h"

#include <sys/socket.h>

#define DOOR_S 5          /* a request in all */
#define DOOR_OF_ADDRESS 8 /* connections */
#define DOOR_OF_ALL 32
#define DOOR_KEPT 2 /* more, for pages that are always answered */

typedef struct _Door Door;
/* FD is whose connection is made; FALSE: it could not be (the door closes it). Thread: the door's.
 */
typedef gboolean (*DoorEnter) (int fd, const struct sockaddr *address, socklen_t size,
                               gpointer data);

/* LISTEN is `host:port`: an address, `[::1]:port`, a name, `*:port` (all), `:port` (127.0.0.1).
 * PRUNED_FATAL says what is wrong. */
Door *door_new (const char *listen, GError **error);
void door_open (Door *self, DoorEnter enter, gpointer data);
void door_close (
    Door *self); /* nobody comes in any more; who is in stays until the server lets go */
void door_free (Door *self); /* NULL: nothing */

/* The one in FD has asked for a page. FALSE: it is in one of the kept places, and the page is not
 * one of those ALWAYS answered. */
gboolean door_asked (Door *self, int fd, gboolean always);
/* The server is about to close FD. */
void door_gone (Door *self, int fd);
