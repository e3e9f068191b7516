/* A preloaded library that makes the disk under SQLite's files slow, fail or record its calls, as the file named by
 * DISK_CONTROL says: "hold syncs" (until the file says otherwise), "sync <n>" or "write <n>" (the n-th from now on
 * fails, once), "record <file>". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last[PATH_MAX];
static long calls;

static int isOfSqlite(int fd) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, "events.db") != NULL;
}

static void note(const char *file, char what) {
  long fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (fd < 0) return;
  syscall(SYS_write, fd, &what, 1);
  syscall(SYS_close, fd);
}

static void readControl(char *text, size_t size) {
  const char *control = getenv("DISK_CONTROL");
  text[0] = 0;
  long file = control ? syscall(SYS_openat, AT_FDCWD, control, O_RDONLY) : -1;
  if (file < 0) return;
  long length = syscall(SYS_read, file, text, size - 1);
  syscall(SYS_close, file);
  text[length > 0 ? length : 0] = 0;
}

/* Returns whether this call must fail; first waits or records the call if the control file says so. */
static int meets(const char *kind, int fd) {
  if (!isOfSqlite(fd)) return 0;
  char text[PATH_MAX] = "";
  readControl(text, sizeof text);
  while (!strcmp(kind, "sync") && !strcmp(text, "hold syncs")) {
    usleep(10000);
    readControl(text, sizeof text);
  }
  char verb[16] = "", rest[PATH_MAX] = "";
  if (sscanf(text, "%15s %4000s", verb, rest) < 2) return 0;
  if (!strcmp(verb, "record")) note(rest, kind[0]);
  if (strcmp(verb, kind)) return 0;
  pthread_mutex_lock(&lock);
  if (strcmp(text, last)) {
    strcpy(last, text);
    calls = 0;
  }
  int isDue = ++calls == atol(rest);
  pthread_mutex_unlock(&lock);
  if (isDue) errno = EIO;
  return isDue;
}

#define real(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

int fsync(int fd) { return meets("sync", fd) ? -1 : real(fsync)(fd); }
int fdatasync(int fd) { return meets("sync", fd) ? -1 : real(fdatasync)(fd); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  return meets("write", fd) ? -1 : real(pwrite)(fd, bytes, count, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  return meets("write", fd) ? -1 : real(pwrite64)(fd, bytes, count, at);
}
