/* Folders beneath a folder, reached without following symbolic links: openat2 where the kernel has
 * it, else component by component.
 *
 * Threads: any. Ownership: the caller closes what is opened.
 */
#pragma once

/* The folder PATH (relative; empty: itself) beneath ROOT, or -1 with errno; ELOOP or EXDEV: it
 * would leave the root or follow a link. */
int beneath_open (int root, const char *path);
