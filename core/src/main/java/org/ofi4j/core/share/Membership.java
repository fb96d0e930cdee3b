// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/**
 * The attachment of one process to one named vector, however often the process opened it: the
 * control file, the locks and a socket. The kernel drops locks when a process ends, in whatever
 * way, and also when the process closes <em>any</em> descriptor of the file: so the file is opened
 * once here. Other code of the process may open and close it nevertheless, which the socket
 * outlives.
 *
 * <p>All but {@link #ask} and what only answers is for who has the {@link PathLock lock}.
 */
final class Membership {

  private final Path path;
  private final ControlFile control;
  private final Participants participants;
  private final WriterLock writers;
  private final Map<Integer, Integer> keyHolds = new HashMap<>();
  private boolean placeAbandoned;
  private volatile boolean leftAtExit;

  /** The id of the vector that a visitor came to. */
  private long visited;

  private int users;

  private Membership(ControlFile control) {
    this.path = control.path;
    this.control = control;
    this.participants = new Participants(control);
    this.writers = new WriterLock(control, participants);
  }

  /**
   * Opens the control file; who writes makes it if it is not there.
   *
   * @throws NoSuchFileException if it goes away just now
   */
  static Membership open(ShareDirectory directory, Path path, String name, boolean readOnly)
      throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      if (readOnly) {
        throw absent(name);
      }
      try {
        Files.createFile(path, ShareDirectory.OWN_FILE);
      } catch (FileAlreadyExistsException other) {
        // Somebody else has just made it.
      } catch (IOException failed) {
        if (VectorFile.isFull(failed)) {
          throw new FabricException(
              Errno.ENOMEM, VectorFile.full(ControlFile.BYTES, path, failed), failed);
        }
        throw failed;
      }
    }
    directory.check(path);
    return new Membership(new ControlFile(path));
  }

  /** As {@link #open}, to remove it. */
  static Membership openToRemove(ShareDirectory directory, Path path, String name)
      throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new FabricException(
          Errno.ENOENT, "there is no vector \"" + name + "\" that could be removed");
    }
    directory.check(path);
    return new Membership(new ControlFile(path));
  }

  /**
   * One that does not join, and only looks.
   *
   * @throws NoSuchFileException if there is no vector, or it goes away just now
   */
  static Membership visitor(Path path, long deadline) throws IOException {
    Membership visitor = new Membership(new ControlFile(path));
    try {
      visitor.look(deadline);
      return visitor;
    } catch (Throwable failed) {
      visitor.close();
      throw failed;
    }
  }

  private void look(long deadline) throws IOException {
    // Whoever makes or removes files has it: what is half is seen by nobody else.
    try (FileLock _ = control.guard(deadline)) {
      long bytes = control.length();
      if (!control.isAtItsPath() || (bytes == 0 && !participants.hasOthers())) {
        throw control.gone("it is not a vector's now");
      }
      if (bytes < ControlFile.BYTES) {
        throw control.damaged("has " + bytes + " bytes instead of " + ControlFile.BYTES);
      }
      control.map(false);
      visited = control.id();
    }
  }

  /** Whether what a {@link #visitor} saw is one vector, neither removed meanwhile nor made anew. */
  boolean isStillVisited(long deadline) throws IOException {
    try (FileLock _ = control.guard(deadline)) {
      return control.isAtItsPath() && (control.isCut() || control.id() == visited);
    }
  }

  private static FabricException absent(String name) {
    return new FabricException(
        Errno.ENOENT, "there is no vector \"" + name + "\" to be read: create it first");
  }

  static FabricException inUse(String name, List<Long> processes) {
    return new FabricException(
        Errno.EBUSY,
        "vector \"%s\" is in use by processes %s: it goes when the last of them closes it"
            .formatted(name, processes));
  }

  /** Removes the files if nobody is attached; false if the path leads to another file by now. */
  boolean deleteIfDead(String name, long deadline) throws IOException {
    try (FileLock _ = control.guard(deadline)) {
      if (!control.isAtItsPath()) {
        return false;
      }
      if (participants.hasOthers()) {
        control.map(false);
        throw inUse(name, participants.processes());
      }
      // Who has opened it already, and waits for the guard, finds that its path leads elsewhere.
      delete();
      return true;
    }
  }

  /** To be called with the guard, while the path leads to the file, if nobody else is attached. */
  private void delete() throws IOException {
    deleteLeftBehind();
    Files.deleteIfExists(path);
  }

  /** Deletes all files but the control file of a vector without other participants. */
  private void deleteLeftBehind() throws IOException {
    ShareDirectory.deleteEntries(path);
    for (Path socket : ShareDirectory.sockets(path, control.inode)) {
      Files.deleteIfExists(socket);
    }
  }

  /** Joins; false if the path leads to another file by now. */
  boolean join(JoinRequest request, long deadline) throws IOException {
    try (FileLock _ = control.guard(deadline)) {
      if (!control.isAtItsPath()) {
        return false;
      }
      if (participants.hasOthers()) {
        attach(request);
        participants.enter();
      } else if (request.readOnly()) {
        throw absent(request.name());
      } else {
        create(request);
      }
      users = 1;
      return true;
    }
  }

  private void attach(JoinRequest request) throws IOException {
    if (control.length() >= ControlFile.BYTES) {
      control.map(false);
    }
    control.check(request.domain(), request.name());
    request.traits().checkFits(control.traits(), request.name());
    control.map(!request.readOnly());
  }

  void joinAgain(JoinRequest request) throws IOException {
    checkAttached();
    request.traits().checkFits(control.traits(), request.name());
    control.map(!request.readOnly());
    use();
  }

  /** Is not left before whoever calls this has left, too. */
  void use() {
    users++;
  }

  /** Makes the vector anew; whoever had it before is dead. */
  private void create(JoinRequest request) throws IOException {
    deleteLeftBehind();
    try {
      control.clear();
      control.begin(request.domain(), request.name(), request.traits());
      Path entries = ShareDirectory.data(path, 1);
      try (VectorFile first = VectorFile.create(entries, control.id(), 1)) {
        request.founder().accept(first);
      }
      control.generation(1);
      participants.enter();
      control.ready();
    } catch (Throwable failed) {
      // There may be no room for anything: what is half is not to take any.
      delete();
      throw failed;
    }
  }

  /**
   * Counts the openings of this process that hold a key. For who has the lock of all writers.
   *
   * @param change by how many more hold it
   * @return how many do now
   */
  int countKeyHolds(int key, int change) {
    return keyHolds.merge(key, change, Integer::sum);
  }

  /** The place is not to be freed by leaving: reservations are left in its name. */
  void abandonPlace() {
    try (PathLock _ = PathLock.acquire(path)) {
      placeAbandoned = true;
    }
  }

  /** Ends a use; true if there is none any more. */
  boolean isLastUse() {
    users--;
    return users == 0;
  }

  /** Leaves, after the last use; the last one of all processes takes the files away. */
  void leave(Duration timeout) {
    try (FileLock _ = control.guard(Waiting.deadline(timeout))) {
      participants.beginToLeave();
      if (control.isAtItsPath() && !participants.hasOthers()) {
        delete();
      }
      participants.leave(!placeAbandoned);
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be left: " + e, e);
    } finally {
      close();
    }
  }

  /**
   * Leaves as the process ends. The last one of all processes takes the files away; where there are
   * others, the place becomes that of a dead participant, and whoever writes next gives back what
   * is reserved under it. The file stays open, and mapped, for threads that go on; one that changes
   * entries now keeps the lock of all writers until it has done so, and none begins again.
   *
   * @param deadline until when whoever attaches or leaves is waited for
   */
  void leaveAtExit(long deadline) throws IOException {
    if (users == 0) {
      // Somebody has left it meanwhile.
      return;
    }
    try (FileLock _ = control.guard(deadline)) {
      leftAtExit = true;
      participants.beginToLeave();
      if (control.isAtItsPath() && !participants.hasOthers()) {
        delete();
      }
      participants.leave(false);
    }
  }

  /**
   * Throws an exception if this process is not attached any more.
   *
   * @throws FabricException with {@link Errno#ECANCELED} if it has left as it ends; with {@link
   *     Errno#EIO} if another process took it for dead
   */
  void checkAttached() {
    boolean isAttached = participants.isAttached();
    if (leftAtExit) {
      throw ending();
    }
    if (!isAttached) {
      throw participants.replaced();
    }
  }

  /** That nothing can be done as the process ends. */
  private FabricException ending() {
    return new FabricException(
        Errno.ECANCELED, "process " + ControlFile.PROCESS + " is ending, and has left " + this);
  }

  /** Closes the file, and has joined nothing any more. */
  void close() {
    try {
      participants.endListening();
    } catch (IOException ended) {
      // It listens no more, and the file below ends all locks.
    } finally {
      control.close();
    }
  }

  /** What is asked or tried with files. */
  interface Question<T extends @Nullable Object> {
    T ask() throws IOException;
  }

  /**
   * Asks about participants while none comes or goes, and nobody else asks: who is asked about is
   * locked for a moment, as if it were alive.
   */
  <T> T ask(Duration timeout, Question<T> question) {
    long deadline = Waiting.deadline(timeout);
    try (PathLock _ = PathLock.acquire(path, deadline);
        FileLock _ = control.guard(deadline)) {
      return question.ask();
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be looked at: " + e, e);
    }
  }

  /** See {@link Participants#dead}. */
  List<Integer> dead(Duration timeout) {
    return ask(timeout, participants::dead);
  }

  /** Who is attached; to be asked about others within {@link #ask}. */
  Participants participants() {
    return participants;
  }

  WriterLock writers() {
    return writers;
  }

  /** The control file: what it says, and who is late. */
  ControlFile control() {
    return control;
  }

  Path path() {
    return path;
  }

  @Override
  public String toString() {
    return "named vector " + ShareDirectory.stem(path);
  }
}
