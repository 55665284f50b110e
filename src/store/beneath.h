/* Opens folders beneath a folder without following symbolic links: with openat2 if the kernel has
 * it, else component by component.
 *
 * Threads: any. Ownership: the caller closes the descriptor.
 */
#pragma once

/* Opens the folder PATH beneath ROOT (relative; empty: ROOT itself). -1: failed, see errno; ELOOP
 * or EXDEV: PATH would leave the root or follow a link; ENOENT also if no file can have such a
 * name. */
int beneath_open (int root, const char *path);

/* errno after a call that was given NAME, one component. ENOENT instead of ENAMETOOLONG if NAME is
 * longer than the name of any file: then there is no such file. */
int beneath_errno (const char *name);
