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
 * <p>Callers must hold the {@link PathLock}, except for {@link #ask}, and what only reads the
 * control file. Questions about others need the guard's lock, too, because a question locks the
 * byte of the other participant for a moment; {@link #ask} takes it.
 */
final class Membership implements AutoCloseable {
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  final ControlFile control;
  final VectorLocks locks;

  /** How many openings of this process hold a key. For who has the lock of all writers. */
  final Map<Integer, Integer> keyHolds = new HashMap<>();

  /** How many openings of this process there are. */
  private int users;

  private @Nullable FileLock alive;
  private @Nullable LivenessSocket liveness;

  /**
   * Whether the place was that of a participant that died, whose reservations may be there still;
   * until a writer of this process has ended them.
   */
  private volatile boolean inherited;

  /** Whether the place is not to be freed by leaving: reservations are left in its name. */
  volatile boolean placeAbandoned;

  Membership(ControlFile control) {
    this.control = control;
    this.locks = new VectorLocks(control);
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
        VectorFile.createFile(path, ControlFile.BYTES);
      } catch (FileAlreadyExistsException other) {
        // Another process has just made it.
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
    try (FileLock _ = locks.guard(deadline)) {
      control.checkPath();
      long bytes = Files.size(control.path);
      if (bytes == 0 && !hasOthers()) {
        throw control.gone("it is not a vector's now");
      }
      if (bytes < ControlFile.BYTES) {
        throw control.damaged("has " + bytes + " bytes instead of " + ControlFile.BYTES);
      }
      control.map();
      locks.vector = control.id();
    }
  }

  /**
   * Checks that what this {@link #visit} saw is one vector, neither removed since nor replaced.
   *
   * @throws NoSuchFileException if not
   */
  void checkVisited(long deadline) throws IOException {
    try (FileLock _ = locks.guard(deadline)) {
      control.checkPath();
      if (!control.isCut() && !locks.isOwnVector()) {
        throw control.gone("it is another vector's now");
      }
    }
  }

  /**
   * Joins a vector, or makes it if no process is attached to it; see {@link NamedVector#open}.
   *
   * @return this; if it fails, the file is closed
   * @throws NoSuchFileException if the path leads to another file by now
   */
  Membership join(
      String domain,
      String name,
      byte[] traits,
      boolean readOnly,
      Consumer<VectorFile> founder,
      long deadline)
      throws IOException {
    try (FileLock _ = locks.guard(deadline)) {
      control.checkPath();
      if (hasOthers()) {
        control.map();
        control.check(domain, name);
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
      try (VectorFile first = VectorFile.create(control.entries(), control.id())) {
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
   * Removes the files if no process is attached.
   *
   * @throws NoSuchFileException if the path leads to another file by now
   * @throws FabricException with {@link Errno#EBUSY} if a process is attached
   */
  void deleteIfDead(String name, long deadline) throws IOException {
    try (FileLock _ = locks.guard(deadline)) {
      control.checkPath();
      if (hasOthers()) {
        control.map();
        throw inUse(name, control.isMapped() ? others() : List.of());
      }
      // A process that has opened it already, and waits for the guard, finds that it is gone.
      delete();
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
    Files.deleteIfExists(control.path);
  }

  /** Deletes all files but the control file of a vector without other participants. */
  private void deleteLeftBehind() throws IOException {
    Files.deleteIfExists(control.entries());
    for (Path socket : control.sockets()) {
      Files.deleteIfExists(socket);
    }
  }

  // Leaving.

  /** Ends a use; after the last use the process leaves, and the last one takes the files away. */
  void endUse(Duration timeout) {
    try (PathLock own = PathLock.acquire(control.path, Waiting.deadline(FOREVER))) {
      users--;
      if (users == 0) {
        try {
          leave(Waiting.deadline(timeout), false);
        } catch (IOException e) {
          throw new FabricException(Errno.EIO, control.path + " cannot be left: " + e, e);
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
    try (FileLock _ = locks.guard(deadline)) {
      locks.leftAtExit |= exits;
      // So that nothing follows what is deleted next.
      endListening();
      if (locks.place >= 0 && !control.isCut() && !locks.isAttached()) {
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
    if (locks.place < 0) {
      return;
    }
    try {
      endListening();
      if (free && !inherited && !control.isCut()) {
        freePlace(locks.place);
      }
    } finally {
      // Before the guard: of two that leave at once, the second is to find that it is the last.
      endPlace();
    }
  }

  private void freePlace(int participant) throws IOException {
    Files.deleteIfExists(control.socket(participant));
    control.participant(participant, 0, 0);
  }

  private void endPlace() throws IOException {
    // Another process may have the place from now on.
    locks.place = -1;
    if (alive != null) {
      alive.release();
    }
  }

  private void endListening() throws IOException {
    if (liveness != null) {
      liveness.close();
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
              .formatted(control.path, ControlFile.PARTICIPANTS));
    }
  }

  private boolean enter(boolean inheriting) throws IOException {
    // A change that its writer did not end would count as one of the next process at its place.
    int interrupted = VectorLocks.place(locks.writer());
    for (int i = 0; i < ControlFile.PARTICIPANTS; i++) {
      if ((control.participant(i) != 0) == inheriting && i != interrupted) {
        Path socket = control.socket(i);
        alive = locks.tryAlive(i, () -> !LivenessSocket.isListening(socket));
        if (alive != null) {
          inherited = inheriting;
          long time = System.currentTimeMillis();
          locks.attach(i, time);
          liveness = new LivenessSocket(socket);
          control.participant(i, ControlFile.PROCESS, time);
          return true;
        }
      }
    }
    return false;
  }

  // Other participants.

  /**
   * Asks about participants while none comes or goes, and no other thread asks: who is asked about
   * is locked for a moment, as if it were alive.
   */
  <T> T ask(Duration timeout, ControlFile.Question<T> question) {
    long deadline = Waiting.deadline(timeout);
    try (PathLock _ = PathLock.acquire(control.path, deadline);
        FileLock _ = locks.guard(deadline)) {
      return question.ask();
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, control.path + " cannot be looked at: " + e, e);
    }
  }

  /** Whether any other process is attached, whatever the file says of it. */
  boolean hasOthers() throws IOException {
    if (locks.isAnyAlive(0, Math.max(0, locks.place))
        || locks.isAnyAlive(locks.place + 1, ControlFile.PARTICIPANTS)) {
      return true;
    }
    // One that has lost its lock still listens.
    Path own = locks.place < 0 ? null : control.socket(locks.place);
    for (Path socket : control.sockets()) {
      if (!socket.equals(own) && LivenessSocket.isListening(socket)) {
        return true;
      }
    }
    return false;
  }

  boolean isAlive(int participant) throws IOException {
    return participant == locks.place
        || locks.isAnyAlive(participant, participant + 1)
        || LivenessSocket.isListening(control.socket(participant));
  }

  /** The processes that have places. */
  List<NamedVector.Participant> participants() throws IOException {
    List<NamedVector.Participant> taken = new ArrayList<>();
    int writing = VectorLocks.place(locks.writer());
    for (int i = 0; i < ControlFile.PARTICIPANTS; i++) {
      long process = control.participant(i);
      if (process != 0) {
        taken.add(new NamedVector.Participant(i, process, isAlive(i), i == writing));
      }
    }
    return taken;
  }

  /** The places of those that died and were not cleaned up after, also if it is the own one now. */
  List<Integer> dead() throws IOException {
    return participants().stream()
        .filter(one -> one.place() == locks.place ? inherited : !one.isAlive())
        .map(NamedVector.Participant::place)
        .toList();
  }

  /** Frees the places of the {@link #dead}, of which nothing is left; the own one stays. */
  void forget(List<Integer> dead) throws IOException {
    for (int participant : dead) {
      if (participant == locks.place) {
        inherited = false;
      } else {
        freePlace(participant);
      }
    }
  }

  /** The ids of the other processes that are attached, each as it is in its own PID namespace. */
  List<Long> others() throws IOException {
    return participants().stream()
        .filter(one -> one.place() != locks.place && one.isAlive())
        .map(NamedVector.Participant::process)
        .toList();
  }
}
