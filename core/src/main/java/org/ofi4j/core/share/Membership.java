package org.ofi4j.core.share;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * What one process has of one named vector, however often it opened it: the control file and the
 * locks. The kernel drops locks when a process ends, in whatever way, and also when the process
 * closes <em>any</em> descriptor of the file: so the file is opened once here, and by nobody else.
 */
final class Membership {
  private static final long PROCESS = ProcessHandle.current().pid();
  private static final SecureRandom IDS = new SecureRandom();

  /** Opening and closing, one at a time in this process. */
  private static final ReentrantLock REGISTRY = new ReentrantLock();

  /** So many times a vector may go just when it is opened. */
  private static final int MOST_ATTEMPTS = 20;

  private static final Map<Path, Membership> MEMBERSHIPS = new HashMap<>();

  private final Path path;
  private final ControlFile control;
  private final Participants participants;
  private final WriterLock writers;
  private boolean placeAbandoned;
  private int users;

  private Membership(ControlFile control) {
    this.path = control.path();
    this.control = control;
    this.participants = new Participants(control);
    this.writers = new WriterLock(control);
  }

  /**
   * Joins a vector, or makes it.
   *
   * @param directory where it is
   * @param domain the name of its domain
   * @param name its name
   * @param traits what it must be like
   * @param readOnly whether it must be there, and somebody attached to it
   * @param patience how long others are waited for
   * @param founder makes the first entries, in a file that nobody else sees yet
   * @return the membership, to be {@link #leave left}
   */
  static Membership join(
      ShareDirectory directory,
      String domain,
      String name,
      VectorTraits traits,
      boolean readOnly,
      Duration patience,
      Consumer<VectorFile> founder) {
    Path path = directory.control(domain, name).toAbsolutePath();
    REGISTRY.lock();
    try {
      Membership known = MEMBERSHIPS.get(path);
      if (known != null) {
        traits.checkFits(known.control.block().traits(), name);
        known.control.map(!readOnly);
        known.users++;
        return known;
      }
      long deadline = System.nanoTime() + patience.toNanos();
      for (int attempt = 0; ; attempt++) {
        Membership opened = open(directory, path, name, readOnly);
        boolean joined = false;
        try {
          joined = opened.join(domain, name, traits, readOnly, deadline, founder);
        } finally {
          if (!joined) {
            opened.control.close();
          }
        }
        if (joined) {
          opened.users = 1;
          MEMBERSHIPS.put(path, opened);
          return opened;
        }
        if (attempt == MOST_ATTEMPTS) {
          throw opened.damaged("says again and again that it is another file");
        }
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "vector \"" + name + "\" cannot be opened: " + e, e);
    } finally {
      REGISTRY.unlock();
    }
  }

  private static Membership open(ShareDirectory directory, Path path, String name, boolean readOnly)
      throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      if (readOnly) {
        throw absent(name);
      }
      try {
        Files.createFile(path, ShareDirectory.OWN_FILE);
      } catch (FileAlreadyExistsException other) {
        // Somebody else has just made it.
      }
    }
    directory.check(path);
    try {
      return new Membership(new ControlFile(path));
    } catch (FileNotFoundException gone) {
      throw new FabricException(
          Errno.EAGAIN, "vector \"" + name + "\" went away just now: try again", gone);
    }
  }

  private static FabricException absent(String name) {
    return new FabricException(
        Errno.ENOENT, "there is no vector \"" + name + "\" to be read (AV-048): create it first");
  }

  /** Removes the files of a vector that nobody is attached to; see {@link NamedVector#unlink}. */
  static void unlink(ShareDirectory directory, String domain, String name, Duration patience) {
    Path path = directory.control(domain, name).toAbsolutePath();
    REGISTRY.lock();
    try {
      if (MEMBERSHIPS.containsKey(path)) {
        throw inUse(name, List.of(PROCESS));
      }
      Membership left = open(directory, path, name, true);
      try {
        left.deleteIfDead(name, System.nanoTime() + patience.toNanos());
      } finally {
        left.control.close();
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "vector \"" + name + "\" cannot be removed: " + e, e);
    } finally {
      REGISTRY.unlock();
    }
  }

  private static FabricException inUse(String name, List<Long> processes) {
    return new FabricException(
        Errno.EBUSY,
        "vector \""
            + name
            + "\" is in use by processes "
            + processes
            + ": it goes when the last of them closes it");
  }

  private void deleteIfDead(String name, long deadline) throws IOException {
    FileLock guard = control.guard(deadline);
    try {
      if (participants.hasOthers()) {
        control.map(false);
        throw inUse(name, participants.processes());
      }
      // Who has opened it already, and waits for the guard, finds that it is another one.
      control.clear();
      control.writableBlock().inode(-1);
      ShareDirectory.deleteEntries(path, 0);
      Files.deleteIfExists(path);
    } finally {
      guard.release();
    }
  }

  /** Joins; false if the file is not that of the path any more. */
  private boolean join(
      String domain,
      String name,
      VectorTraits traits,
      boolean readOnly,
      long deadline,
      Consumer<VectorFile> founder)
      throws IOException {
    FileLock guard = control.guard(deadline);
    try {
      long inode;
      try {
        inode = control.inode();
      } catch (NoSuchFileException gone) {
        return false;
      }
      boolean whole = control.length() >= ControlBlock.BYTES;
      if (whole) {
        control.map(false);
        long own = control.block().inode();
        if (own != 0 && own != inode) {
          return false;
        }
      }
      boolean present = participants.hasOthers();
      if (present) {
        if (!whole || !control.block().isReady()) {
          throw damaged("says that it is not ready, but processes are attached to it");
        }
        control.block().check(String.valueOf(path), domain, name);
        traits.checkFits(control.block().traits(), name);
        control.map(!readOnly);
      } else if (readOnly) {
        if (control.length() == 0) {
          // It was there a moment ago, and opening made it again.
          Files.deleteIfExists(path);
        }
        throw absent(name);
      } else {
        create(domain, name, traits, inode, founder);
      }
      participants.enter();
      if (!present) {
        control.writableBlock().ready();
      }
      return true;
    } finally {
      guard.release();
    }
  }

  private FabricException damaged(String why) {
    return new FabricException(Errno.EIO, "control file " + path + " is damaged: it " + why);
  }

  /** Makes the vector anew; whoever had it before is dead. */
  private void create(
      String domain, String name, VectorTraits traits, long inode, Consumer<VectorFile> founder)
      throws IOException {
    ShareDirectory.deleteEntries(path, 0);
    // It may have been made by opening it.
    Files.setPosixFilePermissions(path, ShareDirectory.OWN_FILE.value());
    control.clear();
    ControlBlock block = control.writableBlock();
    long id = IDS.nextLong();
    long base = traits.mapAddress() != 0 ? traits.mapAddress() : MapAddresses.choose(IDS, traits);
    block.begin(id, inode, domain, name, traits.at(base));
    try (VectorFile first = VectorFile.create(ShareDirectory.data(path, 1), id, 1)) {
      founder.accept(first);
    }
    block.generation(1);
  }

  /** A look at a vector. */
  interface Visit<T> {
    T of(Membership visited) throws IOException;
  }

  /**
   * Looks at a vector with the lock of all writers, without joining it. A process must not open the
   * control file twice, as closing it would end its locks: one that has joined goes by what it has,
   * any other lets nobody join meanwhile.
   */
  static <T> T visit(Path path, Duration patience, Visit<T> visit) throws IOException {
    Membership known;
    REGISTRY.lock();
    try {
      known = MEMBERSHIPS.get(path);
      if (known == null) {
        return visitAsStranger(path, patience, visit);
      }
      known.users++;
    } finally {
      REGISTRY.unlock();
    }
    // Who changes the vector in this process may need the registry for that.
    try {
      return known.visit(patience, visit);
    } finally {
      known.leave(patience);
    }
  }

  private static <T> T visitAsStranger(Path path, Duration patience, Visit<T> visit)
      throws IOException {
    Membership visitor = new Membership(new ControlFile(path));
    try {
      long bytes = visitor.control.length();
      if (bytes < ControlBlock.BYTES) {
        String size = bytes + " bytes instead of " + ControlBlock.BYTES;
        throw new FabricException(
            Errno.EIO, "control file " + path + " is damaged: it has " + size);
      }
      visitor.control.map(false);
      return visitor.visit(patience, visit);
    } finally {
      visitor.control.close();
    }
  }

  private <T> T visit(Duration patience, Visit<T> visit) throws IOException {
    writers.lock(patience);
    try {
      return visit.of(this);
    } finally {
      writers.unlock();
    }
  }

  /** The place is not to be freed by leaving: reservations are left in its name. */
  void abandonPlace() {
    REGISTRY.lock();
    try {
      placeAbandoned = true;
    } finally {
      REGISTRY.unlock();
    }
  }

  /** Leaves; the last one to leave takes the files away. */
  void leave(Duration patience) {
    REGISTRY.lock();
    try {
      users--;
      if (users > 0) {
        return;
      }
      MEMBERSHIPS.remove(path);
      long deadline = System.nanoTime() + patience.toNanos();
      FileLock guard = control.guard(deadline);
      try {
        if (control.block().inode() == control.inode() && !participants.hasOthers()) {
          ShareDirectory.deleteEntries(path, 0);
          Files.deleteIfExists(path);
        }
        if (!placeAbandoned) {
          participants.leave(participants.place());
        }
      } finally {
        guard.release();
      }
    } catch (NoSuchFileException gone) {
      // Somebody has removed it already.
      return;
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be left: " + e, e);
    } finally {
      if (users == 0) {
        control.close();
      }
      REGISTRY.unlock();
    }
  }

  /** A question about participants. */
  interface Question<T> {
    T ask() throws IOException;
  }

  /**
   * Asks about participants while none comes or goes, and nobody else asks: who is asked about is
   * locked for a moment, as if it were alive.
   */
  <T> T ask(Duration patience, Question<T> question) {
    REGISTRY.lock();
    try {
      long deadline = System.nanoTime() + patience.toNanos();
      FileLock guard = control.guard(deadline);
      try {
        return question.ask();
      } finally {
        guard.release();
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be looked at: " + e, e);
    } finally {
      REGISTRY.unlock();
    }
  }

  /** Who is attached; to be asked about others within {@link #ask}. */
  Participants participants() {
    return participants;
  }

  /** The lock of all writers. */
  WriterLock writers() {
    return writers;
  }

  Path path() {
    return path;
  }

  /** The control block, not to be written to. */
  ControlBlock block() {
    return control.block();
  }

  /** The control block, for members that write. */
  ControlBlock writableBlock() {
    return control.writableBlock();
  }

  @Override
  public String toString() {
    return "named vector " + ShareDirectory.stem(path);
  }
}
