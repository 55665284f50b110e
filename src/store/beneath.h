/* Opens folders beneath a folder without following symbolic links: with openat2 if the kernel has
 * it, else component by component.
 *
 * Threads: any. Ownership: the caller closes the descriptor.
 */
#pragma once

/* Opens the folder PATH beneath ROOT (relative; empty: ROOT itself). -1: failed, see errno; ELOOP
 * or EXDEV: PATH would leave the root or follow a link. */
int beneath_open (int root, const char *path);
