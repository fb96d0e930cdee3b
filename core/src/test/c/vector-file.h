/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a named vector, mapped to be read: pieces, slabs, units, pages of slots. Words in
 * brackets are sections of docs/internals/files.md.
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CONTROL_BYTES 20480
#define MOST_SLABS (1 << 17)
#define MOST_AREAS (1 << 19)

typedef const unsigned char *memory;

static const char *control_path;
static memory control;

/* The file of entries that is mapped. What stays 0 is not there. */
static struct {
	int descriptor;
	memory base;
	uint64_t mapped;		/* bytes */
	uint32_t pieces;		/* so many were looked at */
	uint64_t table;			/* position of the table of the piece looked at last */
	uint32_t slabs;
	uint64_t slab[MOST_SLABS];	/* positions */
	uint32_t slot_bytes;		/* 8, or 32 if slots are wide */
	uint64_t *slots[MOST_AREAS];	/* [i][j]: position of the slots of indices from 4096 * i + 64 * j on */
	uint64_t end;			/* an index behind all that have a slot in a page */
} file;

static void fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s: ", control_path);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(1);
}

/* With DAWDLE it takes long now and then, so that a writer does much between two loads. */
static void dawdle(void)
{
#ifdef DAWDLE
	static uint32_t random = 1;
	struct timespec moment = {.tv_nsec = 100000};

	random = random * 1664525 + 1013904223;
	if (random >> 27 == 0)
		nanosleep(&moment, NULL);
#endif
}

/* Loads, all of them acquire. */

#define LOAD(type, at) atomic_load_explicit((const _Atomic type *)(at), memory_order_acquire)

static uint8_t u8(memory at) { return LOAD(uint8_t, at); }
static uint32_t u32(memory at) { return LOAD(uint32_t, at); }
static uint64_t u64(memory at) { return LOAD(uint64_t, at); }

/* ---- Files [Control file, File of entries] ---- */

static memory map(int descriptor, uint64_t bytes)
{
	void *mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0);

	if (mapped == MAP_FAILED)
		fail("cannot be mapped: %s", strerror(errno));
	return mapped;
}

/* A descriptor of a file that nobody else can have written, and its size; -1 if there is none. */
static int open_own(const char *path, struct stat *about)
{
	int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (descriptor < 0 && errno == ENOENT)
		return -1;
	if (descriptor < 0 || fstat(descriptor, about) != 0)
		fail("%s: %s", path, strerror(errno));
	if (about->st_uid != geteuid() || (about->st_mode & 077) != 0)
		fail("%s belongs to somebody else or is open to others", path);
	return descriptor;
}

static void check_header(memory header, const char *magic, uint32_t version)
{
	if (memcmp(header, magic, 8) != 0)
		fail("is not %s", magic);
	if (u32(header + 12) != 0x01020304)
		fail("has another byte order");
	if (u32(header + 8) != version)
		fail("has version %" PRIu32 " instead of %" PRIu32, u32(header + 8), version);
}

/* Whether a participant has a socket that listens: its process lives, even if its lock was lost. */
static bool is_any_listening(void)
{
	const char *slash = strrchr(control_path, '/');
	int length = slash == NULL ? 0 : (int)(slash + 1 - control_path);
	bool any = false;

	for (int i = 0; i < 1024 && !any; i++) {
		struct sockaddr_un place = {.sun_family = AF_UNIX};
		int bytes = snprintf(place.sun_path, sizeof(place.sun_path), "%.*s%" PRIu64 ".%d.alive",
				     length, control_path, u64(control + 56), i);
		int probe;

		if (u64(control + 1024 + 16 * i) == 0 || bytes >= (int)sizeof(place.sun_path))
			continue;
		probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (probe < 0)
			fail("cannot make a socket: %s", strerror(errno));
		any = connect(probe, (struct sockaddr *)&place, sizeof(place)) == 0 || errno == EAGAIN;
		close(probe);
	}
	return any;
}

static void open_control(void)
{
	struct flock alive = {.l_type = F_RDLCK, .l_whence = SEEK_SET,
			      .l_start = (INT64_C(1) << 40) + 16, .l_len = 1024};
	struct stat about;
	int descriptor = open_own(control_path, &about);

	if (descriptor < 0)
		fail("is not there");
	if (about.st_size < CONTROL_BYTES)
		fail("has %jd bytes only", (intmax_t)about.st_size);
	control = map(descriptor, CONTROL_BYTES);
	check_header(control, "OFI4J-AV", 7);
	if (u32(control + 24) != 1)
		fail("is not ready");
	if ((fcntl(descriptor, F_GETLK, &alive) != 0 || alive.l_type == F_UNLCK) && !is_any_listening())
		fail("belongs to nobody who is alive");
}

/* A position in the file of entries. Windows that were mapped before stay: pointers lead there. */
static memory at(uint64_t position, uint64_t bytes)
{
	if (position + bytes > file.mapped) {
		uint64_t reserved = u64(file.base + 40);
		struct stat about;

		if (fstat(file.descriptor, &about) != 0 || (uint64_t)about.st_size < reserved)
			fail("the file of entries was cut");
		if (position + bytes > reserved)
			fail("the file of entries is damaged: it leads to %" PRIu64, position);
		file.base = map(file.descriptor, reserved);
		file.mapped = reserved;
	}
	return file.base + position;
}

static uint64_t slab_bytes(uint32_t slab)
{
	uint32_t bits = slab == 0 ? 6 : slab >= 81 ? 13 : 3 + (slab - 1) / 8;

	return UINT64_C(64) << bits;
}

/* Bits 25 to 30 of the tag of a page that is not an ordinary one. */
enum { SMALL = 1, FLAT = 2, WIDE = 4 };

/* Looks for pieces that have come. */
static void follow(void)
{
	for (uint32_t pieces = u32(file.base + 48); file.pieces < pieces; file.pieces++) {
		uint32_t place = file.pieces % 511;

		if (place == 0)
			file.table = file.pieces == 0 ? 4096 : 64 * (uint64_t)u32(at(file.table + 4088, 4));
		uint64_t position = 64 * (uint64_t)u32(at(file.table + 8 * place, 8));
		uint32_t tag = u32(at(file.table + 8 * place + 4, 4));
		uint32_t slab = -1 - tag, kind = tag >> 25 & ~WIDE, number = tag & 0x1FFFFFF;
		uint32_t slot_bytes = tag >> 25 & WIDE ? 32 : 8;
		uint32_t first = kind == FLAT ? 4096 : number * 64;
		uint32_t count = kind == FLAT ? number * 4096
			: kind == SMALL || first == 0 ? 64 : first < 4096 ? first : 4096;
		uint64_t bytes = tag >> 31 ? slab_bytes(slab) : slot_bytes * (uint64_t)count;

		if (position < 8192 || position + bytes > u64(file.base + 32))
			fail("piece %" PRIu32 " is not within the file of entries", file.pieces);
		if (tag >> 31) {
			if (slab != file.slabs || slab == MOST_SLABS)
				fail("slab %" PRIu32 " is damaged", slab);
			file.slab[file.slabs++] = position;
			continue;
		}
		if (kind > FLAT || (kind == FLAT && (number < 2 || number > 256))
				|| (file.slot_bytes != 0 && file.slot_bytes != slot_bytes)
				|| (kind == 0 && (first < 4096 ? first & (first - 1) : first % 4096) != 0))
			fail("page %" PRIu32 " is damaged", tag);
		file.slot_bytes = slot_bytes;
		for (uint32_t i = 0; i < count / 64; i++) {
			uint64_t **area = &file.slots[first / 4096 + i / 64];
			if (*area == NULL && (*area = calloc(64, sizeof **area)) == NULL)
				fail("has more pages than there is memory for");
			(*area)[(first / 64 + i) % 64] = position + 64 * slot_bytes * (uint64_t)i;
		}
		if (file.end < (uint64_t)first + count)
			file.end = (uint64_t)first + count;
	}
}

/* Maps the file of entries [File of entries]. */
static void open_entries(void)
{
	size_t stem = strlen(control_path) - strlen(".control");
	char path[4096];
	struct stat about;
	int descriptor;

	snprintf(path, sizeof path, "%.*s.entries", (int)stem, control_path);
	descriptor = open_own(path, &about);
	if (descriptor < 0)
		fail("%s is not there", path);
	if (about.st_size < 8192)
		fail("%s has %jd bytes only", path, (intmax_t)about.st_size);
	file.descriptor = descriptor;
	file.mapped = (uint64_t)about.st_size;
	file.base = map(descriptor, file.mapped);
	check_header(file.base, "OFI4J-EN", 13);
	if (u64(file.base + 16) != u64(control + 16))
		fail("%s belongs to another vector", path);
	follow();
}

/* ---- Units [Slabs and units] ---- */

static memory unit(uint32_t unit, uint64_t bytes)
{
	uint32_t slab = unit >> 13, in_slab = (unit & 8191) * 64;

	if (slab >= file.slabs)
		follow();
	if (slab >= file.slabs || in_slab + bytes > slab_bytes(slab))
		fail("unit %" PRIu32 " is nowhere", unit);
	return at(file.slab[slab] + in_slab, bytes);
}

static memory root(void) { return unit(0, 1024); }
