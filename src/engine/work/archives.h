/* Rows that go only once a file of an archive has them (`archive = file:/FOLDER`,
 * `s3:BUCKET/PATH`): an errand of three parts, as that of objects is.
 *
 * lease: finds the page, and tries it. What this does is rolled back: it shows which rows
 * PostgreSQL lets go. These are read as texts, with a digest of each. act: a file gets them, with
 * no transaction open. settle: tries the page again. A row goes if its text is still, to the byte,
 * the one that the file has; one that has changed is looked at again at the end of the run, as if
 * it were busy. The audit notes the file beside the rows.
 *
 * Invariant: no row goes before the disk or the service has said that it has the whole file. A
 * process that dies in between leaves one file more; its name says its content, so no other one
 * takes its place.
 *
 * Threads: a worker; none while the file is written. Ownership: the errand's.
 * Rules: docs/adding-a-job.md.
 */
#pragma once
#include "engine/step/step.h"

extern const JobErrand archives_errand;
