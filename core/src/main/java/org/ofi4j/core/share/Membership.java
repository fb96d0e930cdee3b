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
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/**
 * The attachment of one process to one named vector, however often the process opened it: its place
 * in the control file, with its process id, and the lock of a byte and a {@link LivenessSocket} as
 * long as it lives. Either proves that it lives; the process id identifies nothing. The kernel
 * drops locks when a process ends, in whatever way, and also when the process closes <em>any</em>
 * descriptor of the file: so the file is opened once here. Other code of the process may open and
 * close it nevertheless, which the socket outlives.
 *
 * <p>The lock of all writers of all processes is one of the threads of this one, and a byte of the
 * control file. A process that is stopped keeps it. The system also takes the byte away when other
 * code of the process closes the control file. So the word of the writer decides: a process whose
 * word is there, and which lives, has the lock of all writers.
 *
 * <p>Callers must hold the {@link PathLock}, except for {@link #ask}, changes, and what only reads
 * the control file. Questions about others need the guard's lock, too, because a question locks the
 * byte of the other participant for a moment; {@link #ask} takes it.
 */
final class Membership implements AutoCloseable {
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  final ControlFile control;
  final Path path;

  /** How many openings of this process hold a key. For who has the lock of all writers. */
  final Map<Integer, Integer> keyHolds = new HashMap<>();

  /** How many openings of this process there are. */
  private int users;

  /** Which place is this process's own; -1 before it has one. */
  volatile int place = -1;

  private @Nullable FileLock alive;
  private @Nullable LivenessSocket liveness;

  /** The id of the vector, and when this process attached: others change them if it is replaced. */
  long vector;

  private long attachedAt;

  /**
   * Whether the place was that of a participant that died, whose reservations may be there still;
   * until a writer of this process has ended them.
   */
  private volatile boolean inherited;

  /** Whether the place is not to be freed by leaving: reservations are left in its name. */
  volatile boolean placeAbandoned;

  private volatile boolean leftAtExit;

  private final ReentrantLock threads = new ReentrantLock();
  private @Nullable FileLock writers;

  /** The word of the writer when the lock was taken: 0, or that of one that died or failed. */
  private long left;

  /** The word of this process while it changes entries. */
  private long word;

  Membership(ControlFile control) {
    this.control = control;
    this.path = control.path;
  }

  /**
   * Opens the control file; a process that writes makes it if it is not there.
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
        // Another process has just made it.
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

  private static FabricException absent(String name) {
    return new FabricException(
        Errno.ENOENT, "there is no vector \"" + name + "\" to be read: create it first");
  }

  /**
   * Prepares for a look by a process that does not join.
   *
   * @throws NoSuchFileException if there is no vector, or it goes away just now
   */
  void visit(long deadline) throws IOException {
    // A process that makes or removes files has it: what is half is seen by no other process.
    try (FileLock _ = control.guard(deadline)) {
      long bytes = control.length();
      if (!control.isAtItsPath() || (bytes == 0 && !hasOthers())) {
        throw control.gone("it is not a vector's now");
      }
      if (bytes < ControlFile.BYTES) {
        throw control.damaged("has " + bytes + " bytes instead of " + ControlFile.BYTES);
      }
      control.map(false);
      vector = control.id();
    }
  }

  /** Whether what this {@link #visit} saw is one vector, neither removed since nor replaced. */
  boolean isStillVisited(long deadline) throws IOException {
    try (FileLock _ = control.guard(deadline)) {
      return control.isAtItsPath() && (control.isCut() || isOwnVector());
    }
  }

  /**
   * Joins a vector, or makes it if no process is attached to it; see {@link NamedVector#open}.
   *
   * @return this; null if the path leads to another file by now. Then, and if it fails, the file is
   *     closed
   */
  @Nullable Membership join(
      String domain,
      String name,
      byte[] traits,
      boolean readOnly,
      Consumer<VectorFile> founder,
      long deadline)
      throws IOException {
    try (FileLock _ = control.guard(deadline)) {
      if (!control.isAtItsPath()) {
        return null;
      }
      if (hasOthers()) {
        if (!control.isCut()) {
          control.map(false);
        }
        control.check(domain, name);
        control.map(!readOnly);
        enter();
      } else if (readOnly) {
        throw absent(name);
      } else {
        create(domain, name, traits, founder);
      }
      users = 1;
      return this;
    } finally {
      if (users == 0) {
        close();
      }
    }
  }

  void joinAgain(boolean readOnly) throws IOException {
    checkAttached();
    control.map(!readOnly);
    use();
  }

  /** Is not left before the caller has left, too. */
  void use() {
    users++;
  }

  /** Makes the vector again; all processes that had it before are dead. */
  private void create(String domain, String name, byte[] traits, Consumer<VectorFile> founder)
      throws IOException {
    deleteLeftBehind();
    try {
      control.clear();
      control.begin(domain, name, traits);
      try (VectorFile first = VectorFile.create(ShareDirectory.data(path), control.id())) {
        founder.accept(first);
      }
      enter();
      control.ready();
    } catch (Throwable failed) {
      // There may be no room for anything: what is half is not to take any.
      delete();
      throw failed;
    }
  }

  /**
   * Removes the files if no process is attached; false if the path leads to another file by now.
   *
   * @throws FabricException with {@link Errno#EBUSY} if a process is attached
   */
  boolean deleteIfDead(String name, long deadline) throws IOException {
    try (FileLock _ = control.guard(deadline)) {
      if (!control.isAtItsPath()) {
        return false;
      }
      if (hasOthers()) {
        control.map(false);
        throw inUse(name, processes(true));
      }
      // A process that has opened it already, and waits for the guard, finds that it is gone.
      delete();
      return true;
    }
  }

  static FabricException inUse(String name, List<Long> processes) {
    return new FabricException(
        Errno.EBUSY,
        "vector \"%s\" is in use by processes %s: it goes when the last of them closes it"
            .formatted(name, processes));
  }

  /** To be called with the guard, while the path leads to the file, if no other is attached. */
  private void delete() throws IOException {
    deleteLeftBehind();
    Files.deleteIfExists(path);
  }

  /** Deletes all files but the control file of a vector without other participants. */
  private void deleteLeftBehind() throws IOException {
    Files.deleteIfExists(ShareDirectory.data(path));
    for (Path socket : ShareDirectory.sockets(path, control.inode)) {
      Files.deleteIfExists(socket);
    }
  }

  // Leaving.

  /** Ends a use; after the last use the process leaves, and the last one takes the files away. */
  void endUse(Duration timeout) {
    try (PathLock own = PathLock.acquire(path, Waiting.deadline(FOREVER))) {
      users--;
      if (users == 0) {
        try {
          leave(Waiting.deadline(timeout), false);
        } catch (IOException e) {
          throw new FabricException(Errno.EIO, path + " cannot be left: " + e, e);
        } finally {
          own.joined(null);
          close();
        }
      }
    }
  }

  /**
   * Leaves as the process ends. The last one of all processes takes the files away; where there are
   * others, the place becomes that of a dead participant, and the process that writes next gives
   * back what is reserved under it. The file stays open, and mapped, for threads that go on; one
   * that changes entries now keeps the lock of all writers until it has done so, and none begins
   * again.
   *
   * @param deadline until when a process that attaches or leaves is waited for
   */
  void leaveAtExit(long deadline) throws IOException {
    // Unless another thread has left it.
    if (users > 0) {
      leave(deadline, true);
    }
  }

  private void leave(long deadline, boolean exits) throws IOException {
    try (FileLock _ = control.guard(deadline)) {
      leftAtExit |= exits;
      // So that nothing follows what is deleted next.
      endListening();
      if (place >= 0 && !control.isCut() && !isAttached()) {
        // Another process took this one for dead, and may have the place, its lock and its socket.
        endPlace();
      }
      if (control.isAtItsPath() && !hasOthers()) {
        delete();
      }
      leavePlace(!exits && !placeAbandoned);
    }
  }

  /** Leaves the own place, which is free then, or that of a dead participant; listens no more. */
  void leavePlace(boolean free) throws IOException {
    if (place < 0) {
      return;
    }
    try {
      endListening();
      if (free && !inherited) {
        freePlace(place);
      }
    } finally {
      // Before the guard: of two that leave at once, the second is to find that it is the last.
      endPlace();
    }
  }

  private void freePlace(int participant) throws IOException {
    Files.deleteIfExists(socket(participant));
    control.write(participant, 0, 0);
  }

  private void endPlace() throws IOException {
    // Another process may have the place from now on.
    place = -1;
    FileLock last = alive;
    alive = null;
    if (last != null) {
      last.release();
    }
  }

  private void endListening() throws IOException {
    LivenessSocket last = liveness;
    liveness = null;
    if (last != null) {
      last.close();
    }
  }

  /** Closes the file, and has joined nothing any more. */
  @Override
  public void close() {
    try (control) {
      endListening();
    } catch (IOException ended) {
      // It listens no more, and closing the file has ended all locks.
      return;
    }
  }

  // This process among the participants.

  /**
   * Takes a place: a free one, or else that of a dead participant. Its reservations carry its
   * number, which is this process's own from now on: {@link #dead} names it until it is freed.
   */
  void enter() throws IOException {
    if (!enter(false) && !enter(true)) {
      throw new FabricException(
          Errno.EAGAIN,
          "%s has %s processes attached, the most there can be: end one of them"
              .formatted(path, ControlFile.PARTICIPANTS));
    }
  }

  private boolean enter(boolean inheriting) throws IOException {
    // A change that its writer did not end would count as one of the next process at its place.
    int interrupted = ControlFile.place(control.writer());
    for (int i = 0; i < ControlFile.PARTICIPANTS; i++) {
      if ((control.participant(i) != 0) == inheriting && i != interrupted) {
        Path socket = socket(i);
        alive = control.tryAlive(i, () -> !LivenessSocket.isListening(socket));
        if (alive != null) {
          place = i;
          inherited = inheriting;
          liveness = new LivenessSocket(socket);
          vector = control.id();
          attachedAt = System.currentTimeMillis();
          word = ControlFile.writer(ControlFile.PROCESS, i);
          control.write(i, ControlFile.PROCESS, attachedAt);
          return true;
        }
      }
    }
    return false;
  }

  private Path socket(int participant) {
    return ShareDirectory.socket(path, control.inode, participant);
  }

  private boolean isOwnVector() {
    return control.id() == vector;
  }

  /** Whether the place is still that of this process: no other process has taken it for dead. */
  private boolean isAttached() {
    return isOwnVector()
        && place >= 0
        && control.participant(place) == ControlFile.PROCESS
        && control.attachedAt(place) == attachedAt;
  }

  /**
   * Throws an exception if this process is not attached any more.
   *
   * @throws FabricException with {@link Errno#ECANCELED} if it has left as it ends; with {@link
   *     Errno#EIO} if another process took it for dead
   */
  void checkAttached() {
    boolean isAttached = isAttached();
    if (leftAtExit) {
      throw new FabricException(
          Errno.ECANCELED, "process " + ControlFile.PROCESS + " is ending, and has left " + this);
    }
    if (!isAttached) {
      throw replaced();
    }
  }

  private FabricException replaced() {
    return new FabricException(
        Errno.EIO,
        ("this process has lost named vector %s: another process took it for dead, as its locks"
                + " of %s were dropped and it had no socket beside this file; close the vector"
                + " wherever this process has it open, open it again, and keep other programs from"
                + " opening or deleting its files")
            .formatted(ShareDirectory.stem(path), path));
  }

  /** Of whom the own place is inherited nothing is left. Needs no guard, but all writers' lock. */
  void endInheritance() {
    inherited = false;
  }

  // Other participants.

  /**
   * Asks about participants while none comes or goes, and no other thread asks: who is asked about
   * is locked for a moment, as if it were alive.
   */
  <T> T ask(Duration timeout, ControlFile.Question<T> question) {
    long deadline = Waiting.deadline(timeout);
    try (PathLock _ = PathLock.acquire(path, deadline);
        FileLock _ = control.guard(deadline)) {
      return question.ask();
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be looked at: " + e, e);
    }
  }

  /** Whether any other process is attached, whatever the file says of it. */
  boolean hasOthers() throws IOException {
    if (control.isAnyAlive(0, Math.max(0, place))
        || control.isAnyAlive(place + 1, ControlFile.PARTICIPANTS)) {
      return true;
    }
    // One that has lost its lock still listens.
    Path own = place < 0 ? null : socket(place);
    for (Path socket : ShareDirectory.sockets(path, control.inode)) {
      if (!socket.equals(own) && LivenessSocket.isListening(socket)) {
        return true;
      }
    }
    return false;
  }

  boolean isAlive(int participant) throws IOException {
    return participant == place
        || control.isAnyAlive(participant, participant + 1)
        || LivenessSocket.isListening(socket(participant));
  }

  /** The places that are not free. */
  List<Integer> taken() {
    List<Integer> taken = new ArrayList<>();
    for (int i = 0; i < ControlFile.PARTICIPANTS; i++) {
      if (control.participant(i) != 0) {
        taken.add(i);
      }
    }
    return taken;
  }

  /** The places of those that died and were not cleaned up after, also if it is the own one now. */
  List<Integer> dead() throws IOException {
    List<Integer> dead = new ArrayList<>();
    for (int participant : taken()) {
      if (participant == place ? inherited : !isAlive(participant)) {
        dead.add(participant);
      }
    }
    return dead;
  }

  /**
   * Frees the place of a dead participant of which nothing is left.
   *
   * @return false if another process has inherited it
   */
  boolean forget(int participant) throws IOException {
    boolean isDead = !isAlive(participant);
    if (isDead) {
      freePlace(participant);
    }
    return isDead;
  }

  /**
   * The ids of the processes that are attached, each as it is in its own PID namespace.
   *
   * @param own whether this process is among them, which its place identifies
   */
  List<Long> processes(boolean own) throws IOException {
    List<Long> processes = new ArrayList<>();
    for (int participant : taken()) {
      if ((own || participant != place) && isAlive(participant)) {
        processes.add(control.participant(participant));
      }
    }
    return processes;
  }

  // Writing.

  /**
   * Waits for the lock of all writers, and takes it; again for who has it.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @throws FabricException with {@link Errno#EAGAIN}, naming who has it, if it takes too long
   */
  void lock(long deadline) {
    if (!Waiting.lock(threads, deadline)) {
      throw control.lateThread(place);
    }
    try {
      if (threads.getHoldCount() == 1) {
        writers = control.lockWriters(deadline, this::isFree);
      }
    } catch (Throwable failed) {
      threads.unlock();
      throw failed;
    }
  }

  /** Whether the process that changes entries, according to its word, has died or failed at it. */
  private boolean isFree() throws IOException {
    left = control.isMapped() ? control.writer() : 0;
    int writer = ControlFile.place(left);
    return writer < 0 || writer == place || !LivenessSocket.isListening(socket(writer));
  }

  /**
   * Takes the lock for a change, and stores the word of this process.
   *
   * @param check throws an exception if this process may not change anything, with the lock
   * @return whether the last writer died or failed, and left something to be repaired
   * @throws FabricException as {@link #lock}, without the lock
   */
  boolean begin(long deadline, Runnable check) {
    while (true) {
      lock(deadline);
      boolean begun = false;
      try {
        check.run();
        begun = control.beginChange(left, word);
        if (begun) {
          return left != 0;
        }
        // Another process has begun, as the byte was taken away between the lock and the word.
      } finally {
        if (!begun) {
          unlock();
        }
      }
    }
  }

  /**
   * Ends a change, and gives the lock back.
   *
   * @return the number of changes
   * @throws FabricException with {@link Errno#EIO}, without the lock, if another process took this
   *     one for dead; then nothing was stored
   */
  long end() {
    try {
      if (!isOwnChange()) {
        throw replaced();
      }
      return control.endChange();
    } finally {
      unlock();
    }
  }

  /** Gives the lock back after a change that failed, which the next writer repairs. */
  void fail() {
    try {
      if (isOwnChange()) {
        control.failChange(word);
      }
    } catch (InternalError cut) {
      // The next use of the file reports that it was cut.
      return;
    } finally {
      unlock();
    }
  }

  private boolean isOwnChange() {
    return isOwnVector() && control.writer() == word;
  }

  void unlock() {
    FileLock last = writers;
    try {
      if (threads.getHoldCount() == 1 && last != null) {
        writers = null;
        last.release();
        control.giveWay();
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "the lock of " + path + " cannot be released: " + e, e);
    } finally {
      threads.unlock();
    }
  }

  @Override
  public String toString() {
    return "named vector " + ShareDirectory.stem(path);
  }
}
