/* input.c: reads of standard input, see file.h. */
#define _GNU_SOURCE /* preadv2 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* A pipe that is opened again has flags of its own. Linux does that, unless the pipe belongs to another user. */
static int open_again(const struct stat *about) {
  struct stat opened;
  int descriptor = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return -1;
  bool is_same = fstat(descriptor, &opened) == 0 && opened.st_dev == about->st_dev && opened.st_ino == about->st_ino;
  if (is_same) return descriptor;
  close(descriptor);
  return -1;
}

/* Files never wait. Other devices than pipes are not opened again: that may do more than open them. */
void input_open(struct file *file, const struct stat *about) {
  int own = S_ISFIFO(about->st_mode) ? open_again(about) : -1;
  if (own >= 0) file->descriptor = own;
  file->is_socket = S_ISSOCK(about->st_mode);
  file->may_block = own < 0 && !file->is_socket && !S_ISREG(about->st_mode);
}

ssize_t input_read(const struct file *file, void *to, size_t size_bytes) {
  if (file->is_socket) return recv(file->descriptor, to, size_bytes, MSG_DONTWAIT);
#ifdef RWF_NOWAIT
  if (file->may_block) {
    const struct iovec piece = {to, size_bytes};
    ssize_t count = preadv2(file->descriptor, &piece, 1, -1, RWF_NOWAIT);
    if (count >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return count;
  }
#endif
  return read(file->descriptor, to, size_bytes);
}
