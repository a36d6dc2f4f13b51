/* Stands between a process and the C library: counts the calls that reach files below one folder, and kills the
 * process at one of them, lets it fail, or records all of them. Loaded by LD_PRELOAD; idle until a process arms it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { IDLE, COUNT, KILL, FAIL, SHORT, GONE };
enum { OPEN = 'o', WRITE = 'w', SYNC = 's', RENAME = 'n', UNLINK = 'u', TRUNCATE = 't', LINK = 'l', MKDIR = 'm', RMDIR = 'd' };

#define FDS 4096
static char *names[FDS];
static char root[PATH_MAX];
static size_t root_length;
static int mode = IDLE, error_number, log_fd = -1;
static long calls, wanted;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;


/* Begin to watch the files below a folder. A mode with the number of a call acts at that call; ``log`` is a path or "". */
void torture_arm(const char *folder, int how, long at, int error, const char *log) {
    snprintf(root, sizeof root, "%s/", folder);
    root_length = strlen(root);
    mode = how; wanted = at; error_number = error; calls = 0;
    log_fd = log[0] ? (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
}

/* How many calls there were. */
long torture_calls(void) { return calls; }

static int watched(const char *path) {
    return mode != IDLE && path && (strncmp(path, root, root_length) == 0 || (strncmp(path, root, root_length - 1) == 0 && !path[root_length - 1]));
}

static const char *name_of(int fd) { return mode != IDLE && fd >= 0 && fd < FDS ? names[fd] : NULL; }

static void put(const void *data, size_t size) {
    const char *at = data;
    while (size) {
        long done = syscall(SYS_write, log_fd, at, size);
        if (done <= 0) _exit(99);
        at += done; size -= done;
    }
}

static void note(char what, const char *path, const char *other, int64_t offset, const void *data, uint32_t size) {
    if (log_fd < 0) return;
    uint16_t one = strlen(path), two = other ? strlen(other) : 0;
    pthread_mutex_lock(&turn);
    put(&what, 1); put(&one, 2); put(path, one); put(&two, 2); put(other ? other : "", two); put(&offset, 8); put(&size, 4);
    if (size && data) put(data, size);
    pthread_mutex_unlock(&turn);
}

/* Count a call that may fail: 0 to go on, 1 to fail with errno set, 2 for a short write. */
static int stopped(int is_reading) {
    if (mode == COUNT || mode == IDLE) { __sync_add_and_fetch(&calls, 1); return 0; }
    if (is_reading && mode == KILL) return 0;
    long number = __sync_add_and_fetch(&calls, 1);
    if (number == wanted) {
        if (mode == KILL) { syscall(SYS_kill, getpid(), SIGKILL); for (;;) pause(); }
        if (mode == SHORT) return 2;
        errno = error_number; return 1;
    }
    if (number == wanted + 1 && mode == SHORT) { errno = ENOSPC; return 1; }
    if (number > wanted && wanted && mode == GONE) { errno = error_number; return 1; }
    return 0;
}

static void opened(int fd, const char *path, int flags, int was_there) {
    if (fd < 0 || fd >= FDS) return;
    free(names[fd]);
    names[fd] = strdup(path);
    if ((flags & O_CREAT) && !was_there) note(OPEN, path, NULL, 0, NULL, 0);
    else if (flags & O_TRUNC) note(TRUNCATE, path, NULL, 0, NULL, 0);
}

static int open_at(int folder, const char *path, int flags, mode_t rights) {
    if (folder != AT_FDCWD || !watched(path)) return (int)syscall(SYS_openat, folder, path, flags, rights);
    struct stat found;
    int was_there = syscall(SYS_newfstatat, AT_FDCWD, path, &found, 0) == 0;
    if (stopped(!(flags & (O_WRONLY | O_RDWR | O_CREAT)))) return -1;
    int fd = (int)syscall(SYS_openat, folder, path, flags, rights);
    if (fd >= 0) opened(fd, path, flags, was_there);
    return fd;
}

#define RIGHTS mode_t rights = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); rights = va_arg(more, mode_t); va_end(more); }
int open(const char *path, int flags, ...) { RIGHTS return open_at(AT_FDCWD, path, flags, rights); }
int open64(const char *path, int flags, ...) { RIGHTS return open_at(AT_FDCWD, path, flags | O_LARGEFILE, rights); }
int openat(int folder, const char *path, int flags, ...) { RIGHTS return open_at(folder, path, flags, rights); }
int openat64(int folder, const char *path, int flags, ...) { RIGHTS return open_at(folder, path, flags | O_LARGEFILE, rights); }

int close(int fd) {
    if (fd >= 0 && fd < FDS && names[fd]) { free(names[fd]); names[fd] = NULL; }
    return (int)syscall(SYS_close, fd);
}

static ssize_t write_at(int fd, const void *data, size_t size, int64_t offset) {
    const char *path = name_of(fd);
    if (!path) return offset < 0 ? syscall(SYS_write, fd, data, size) : syscall(SYS_pwrite64, fd, data, size, offset);
    int how = stopped(0);
    if (how == 1) return -1;
    if (how == 2 && size > 1) size /= 2;
    int64_t where = offset;
    if (offset < 0) {
        int flags = (int)syscall(SYS_fcntl, fd, F_GETFL);
        struct stat found;
        where = flags & O_APPEND ? (syscall(SYS_fstat, fd, &found), found.st_size) : syscall(SYS_lseek, fd, 0, SEEK_CUR);
    }
    ssize_t done = offset < 0 ? syscall(SYS_write, fd, data, size) : syscall(SYS_pwrite64, fd, data, size, offset);
    if (done > 0) note(WRITE, path, NULL, where, data, (uint32_t)done);
    return done;
}

ssize_t write(int fd, const void *data, size_t size) { return write_at(fd, data, size, -1); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return write_at(fd, data, size, offset); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) { return write_at(fd, data, size, offset); }

ssize_t read(int fd, void *data, size_t size) {
    if (name_of(fd) && stopped(1) == 1) return -1;
    return syscall(SYS_read, fd, data, size);
}
ssize_t pread64(int fd, void *data, size_t size, off64_t offset) {
    if (name_of(fd) && stopped(1) == 1) return -1;
    return syscall(SYS_pread64, fd, data, size, offset);
}
ssize_t pread(int fd, void *data, size_t size, off_t offset) { return pread64(fd, data, size, offset); }

static int sync_it(int fd, long number) {
    const char *path = name_of(fd);
    if (path && stopped(0)) return -1;
    int done = (int)syscall(number, fd);
    if (path && done == 0) note(SYNC, path, NULL, 0, NULL, 0);
    return done;
}
int fsync(int fd) { return sync_it(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_it(fd, SYS_fdatasync); }

int ftruncate64(int fd, off64_t size) {
    const char *path = name_of(fd);
    if (path && stopped(0)) return -1;
    int done = (int)syscall(SYS_ftruncate, fd, size);
    if (path && done == 0) note(TRUNCATE, path, NULL, size, NULL, 0);
    return done;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
int truncate64(const char *path, off64_t size) {
    if (watched(path) && stopped(0)) return -1;
    int done = (int)syscall(SYS_truncate, path, size);
    if (watched(path) && done == 0) note(TRUNCATE, path, NULL, size, NULL, 0);
    return done;
}
int truncate(const char *path, off_t size) { return truncate64(path, size); }

static int named(char what, const char *path, const char *other, long number, long a, long b, long c, long d) {
    int is_ours = watched(path) || watched(other);
    if (is_ours && stopped(0)) return -1;
    int done = (int)syscall(number, a, b, c, d, 0);
    if (is_ours && done == 0) note(what, path, other, 0, NULL, 0);
    return done;
}
int rename(const char *path, const char *other) { return named(RENAME, path, other, SYS_renameat, AT_FDCWD, (long)path, AT_FDCWD, (long)other); }
int renameat(int one, const char *path, int two, const char *other) { return named(RENAME, path, other, SYS_renameat, one, (long)path, two, (long)other); }
int unlink(const char *path) { return named(UNLINK, path, NULL, SYS_unlinkat, AT_FDCWD, (long)path, 0, 0); }
int unlinkat(int folder, const char *path, int flags) {
    if (folder != AT_FDCWD && mode != IDLE && name_of(folder)) {
        char whole[PATH_MAX];
        snprintf(whole, sizeof whole, "%s/%s", names[folder], path);
        return named(flags & AT_REMOVEDIR ? RMDIR : UNLINK, whole, NULL, SYS_unlinkat, folder, (long)path, flags, 0);
    }
    return named(flags & AT_REMOVEDIR ? RMDIR : UNLINK, path, NULL, SYS_unlinkat, folder, (long)path, flags, 0);
}
int link(const char *path, const char *other) { return named(LINK, path, other, SYS_linkat, AT_FDCWD, (long)path, AT_FDCWD, (long)other); }
int linkat(int one, const char *path, int two, const char *other, int flags) {
    (void)flags;
    return named(LINK, path, other, SYS_linkat, one, (long)path, two, (long)other);
}
int mkdir(const char *path, mode_t rights) { return named(MKDIR, path, NULL, SYS_mkdirat, AT_FDCWD, (long)path, rights, 0); }
int rmdir(const char *path) { return named(RMDIR, path, NULL, SYS_unlinkat, AT_FDCWD, (long)path, AT_REMOVEDIR, 0); }
