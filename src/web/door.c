#include "web/door.h"

#include "base/clock.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define MOST_SOCKETS 8
#define LOOK_MS 250
#define GRACE_US (100 * 1000) /* to send a request in a reserved place; then it may be replaced */

typedef struct {
  int fd;
  struct sockaddr_storage address;
  gint64 since_us;
  gboolean kept;  /* has a reserved place */
  gboolean asked; /* the request is complete */
  gboolean shut;  /* shut down; the server has not closed it yet */
} Guest;

struct _Door {
  int sockets[MOST_SOCKETS];
  guint n_sockets, port;
  const Proxies *proxies;
  DoorEnter enter;
  gpointer data;
  pthread_t thread;
  gboolean open;
  atomic_int stop;
  pthread_mutex_t lock;
  GPtrArray *guests; /* of Guest; under the lock */
};

/* --- listening -------------------------------------------------------------------------------- */

/* `[::1]:9750` -> `::1` and `9750`. */
static gboolean
split (const char *listen, char **host, char **port)
{
  const char *colon = strrchr (listen, ':');
  guint64 number;
  if (colon == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 0, 65535, &number, NULL))
    return FALSE;
  gsize len = (gsize)(colon - listen);
  gboolean bracketed = len >= 2 && listen[0] == '[' && listen[len - 1] == ']';
  if (!bracketed && memchr (listen, ':', len) != NULL) /* an IPv6 address needs brackets */
    return FALSE;
  *host = bracketed  ? g_strndup (listen + 1, len - 2)
          : len == 0 ? g_strdup ("127.0.0.1")
                     : g_strndup (listen, len);
  *port = g_strdup (colon + 1);
  return TRUE;
}

static int
listen_on (const struct addrinfo *at)
{
  int yes = 1, fd = socket (at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (at->ai_family == AF_INET6) /* IPv4 has a socket of its own */
    setsockopt (fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  if (bind (fd, at->ai_addr, at->ai_addrlen) == 0 && listen (fd, 64) == 0)
    return fd;
  int why = errno;
  close (fd);
  errno = why;
  return -1;
}

static guint
port_of (int fd)
{
  struct sockaddr_storage at;
  socklen_t size = sizeof at;
  if (getsockname (fd, (struct sockaddr *)&at, &size) != 0)
    return 0;
  return ntohs (at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
                                         : ((struct sockaddr_in *)&at)->sin_port);
}

/* A machine without IPv6 cannot listen on its IPv6 addresses; one socket is enough. Returns the
 * errno of the failure to report, 0: none. */
static int
listen_on_all (Door *door, const struct addrinfo *found)
{
  int why = 0;
  for (const struct addrinfo *at = found; at != NULL && door->n_sockets < MOST_SOCKETS;
       at = at->ai_next) {
    int fd = listen_on (at);
    if (fd >= 0)
      door->sockets[door->n_sockets++] = fd;
    else if (errno == EADDRINUSE || errno == EACCES || why == 0)
      why = errno;
  }
  gboolean bearable = door->n_sockets > 0 && (why == EAFNOSUPPORT || why == EADDRNOTAVAIL);
  return bearable ? 0 : why;
}

/* freeaddrinfo what is returned. */
static struct addrinfo *
resolve (const char *listen, GError **error)
{
  g_autofree char *host = NULL, *port = NULL;
  if (!split (listen, &host, &port))
    return error_null (
        error, PRUNED_FATAL,
        "[http] listen: '%s' is not host:port, like 127.0.0.1:9750, [::1]:9750, localhost:9750 or *:9750",
        listen);
  struct addrinfo *found = NULL,
                  hints
                  = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
  int problem = getaddrinfo (g_str_equal (host, "*") ? NULL : host, port, &hints, &found);
  if (problem == 0)
    return found;
  return error_null (error, PRUNED_FATAL, "[http] listen: '%s': %s", host,
                     problem == EAI_SYSTEM ? g_strerror (errno) : gai_strerror (problem));
}

gboolean
door_check (const char *listen, GError **error)
{
  struct addrinfo *found = resolve (listen, error);
  if (found != NULL)
    freeaddrinfo (found);
  return found != NULL;
}

gboolean
door_is_loopback (const char *listen)
{
  struct addrinfo *found = resolve (listen, NULL);
  gboolean is = found != NULL;
  for (const struct addrinfo *at = found; at != NULL; at = at->ai_next)
    is &= at->ai_family == AF_INET6
              ? IN6_IS_ADDR_LOOPBACK (&((struct sockaddr_in6 *)at->ai_addr)->sin6_addr)
              : ntohl (((struct sockaddr_in *)at->ai_addr)->sin_addr.s_addr) >> 24 == 127;
  g_clear_pointer (&found, freeaddrinfo);
  return is;
}

Door *
door_new (const char *listen, const Proxies *proxies, GError **error)
{
  struct addrinfo *found = resolve (listen, error);
  if (found == NULL)
    return NULL;
  Door *door = g_new0 (Door, 1);
  door->proxies = proxies;
  pthread_mutex_init (&door->lock, NULL);
  door->guests = g_ptr_array_new_with_free_func (g_free);
  int why = listen_on_all (door, found);
  freeaddrinfo (found);
  if (why != 0) {
    g_set_error (error, PRUNED_ERROR, PRUNED_FATAL,
                 "[http] listen: cannot listen on %s: %s (errno %d)", listen, g_strerror (why),
                 why);
    door_free (door);
    return NULL;
  }
  door->port = port_of (door->sockets[0]);
  return door;
}

/* --- connections ------------------------------------------------------------------------------ */

static gboolean
same_address (const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
  if (a->ss_family != b->ss_family)
    return FALSE;
  const struct sockaddr_in6 *six[] = { (const void *)a, (const void *)b };
  if (a->ss_family == AF_INET6)
    return memcmp (&six[0]->sin6_addr, &six[1]->sin6_addr, 16) == 0;
  return ((const struct sockaddr_in *)a)->sin_addr.s_addr
         == ((const struct sockaddr_in *)b)->sin_addr.s_addr;
}

/* The server sees the end of the connection and closes it. The caller holds the lock. */
static void
send_away (Guest *guest)
{
  if (!guest->shut)
    shutdown (guest->fd, SHUT_RDWR);
  guest->shut = TRUE;
}

/* Whether there is a place for a new connection. KEPT: it is a reserved one. The caller holds the
 * lock. */
static gboolean
find_place (Door *door, const struct sockaddr_storage *address, gint64 now_us, gboolean *kept)
{
  guint all = 0, of_address = 0, in_kept = 0;
  Guest *oldest = NULL;
  for (guint i = 0; i < door->guests->len; i++) {
    Guest *guest = door->guests->pdata[i];
    if (guest->shut)
      continue;
    all += !guest->kept;
    of_address += !guest->kept && same_address (&guest->address, address);
    in_kept += guest->kept;
    if (guest->kept && !guest->asked && (oldest == NULL || guest->since_us < oldest->since_us))
      oldest = guest;
  }
  if (proxies_has (door->proxies, (const struct sockaddr *)address))
    of_address = 0; /* of many people */
  *kept = all >= DOOR_OF_ALL || of_address >= DOOR_OF_ADDRESS;
  if (!*kept || in_kept < DOOR_KEPT)
    return TRUE;
  if (oldest == NULL || now_us - oldest->since_us < GRACE_US)
    return FALSE;
  send_away (oldest);
  return TRUE;
}

static void
let_in (Door *door, int fd, const struct sockaddr_storage *address, socklen_t size)
{
  gint64 now_us = clock_monotonic_us ();
  Guest *guest = g_new0 (Guest, 1);
  *guest = (Guest){ .fd = fd, .address = *address, .since_us = now_us };
  pthread_mutex_lock (&door->lock);
  gboolean place = find_place (door, address, now_us, &guest->kept);
  if (place)
    g_ptr_array_add (door->guests, guest);
  pthread_mutex_unlock (&door->lock);
  if (!place) {
    g_free (guest);
    close (fd);
  } else if (!door->enter (fd, (const struct sockaddr *)address, size, door->data))
    door_gone (door, fd); /* libmicrohttpd closes a connection that it refuses */
}

static void
send_away_late (Door *door)
{
  gint64 now_us = clock_monotonic_us ();
  pthread_mutex_lock (&door->lock);
  for (guint i = 0; i < door->guests->len; i++) {
    Guest *guest = door->guests->pdata[i];
    if (now_us - guest->since_us >= DOOR_S * G_USEC_PER_SEC)
      send_away (guest);
  }
  pthread_mutex_unlock (&door->lock);
}

static void *
door_main (void *data)
{
  Door *door = data;
  struct pollfd fds[MOST_SOCKETS];
  pthread_setname_np (pthread_self (), "http door");
  while (!atomic_load (&door->stop)) {
    for (guint i = 0; i < door->n_sockets; i++)
      fds[i] = (struct pollfd){ door->sockets[i], POLLIN, 0 };
    (void)poll (fds, door->n_sockets, LOOK_MS);
    for (guint i = 0; i < door->n_sockets; i++) {
      struct sockaddr_storage address;
      socklen_t size = sizeof address;
      int fd = fds[i].revents == 0 ? -1
                                   : accept4 (door->sockets[i], (struct sockaddr *)&address, &size,
                                              SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd >= 0)
        let_in (door, fd, &address, size);
      else if (fds[i].revents != 0 && errno != EAGAIN) /* no descriptors left */
        g_usleep (LOOK_MS * 1000);
    }
    send_away_late (door);
  }
  return NULL;
}

static Guest *
guest_of (Door *door, int fd, guint *at)
{
  for (guint i = 0; i < door->guests->len; i++)
    if (((Guest *)door->guests->pdata[i])->fd == fd) {
      *at = i;
      return door->guests->pdata[i];
    }
  return NULL;
}

gboolean
door_asked (Door *door, int fd, gboolean always)
{
  guint at;
  gboolean answered = TRUE;
  pthread_mutex_lock (&door->lock);
  Guest *guest = guest_of (door, fd, &at);
  if (guest != NULL) {
    guest->asked = TRUE;
    answered = always || !guest->kept;
  }
  pthread_mutex_unlock (&door->lock);
  return answered;
}

void
door_gone (Door *door, int fd)
{
  guint at;
  pthread_mutex_lock (&door->lock);
  if (guest_of (door, fd, &at) != NULL)
    g_ptr_array_remove_index_fast (door->guests, at);
  pthread_mutex_unlock (&door->lock);
}

/* --- life ------------------------------------------------------------------------------------- */

gboolean
door_open (Door *door, DoorEnter enter, gpointer data, GError **error)
{
  door->enter = enter;
  door->data = data;
  door->open = thread_start (&door->thread, door_main, door, error);
  return door->open;
}

void
door_close (Door *door)
{
  if (!door->open)
    return;
  atomic_store (&door->stop, TRUE);
  pthread_join (door->thread, NULL);
  door->open = FALSE;
}

void
door_free (Door *door)
{
  if (door == NULL)
    return;
  door_close (door);
  for (guint i = 0; i < door->n_sockets; i++)
    close (door->sockets[i]);
  g_ptr_array_unref (door->guests);
  pthread_mutex_destroy (&door->lock);
  g_free (door);
}
