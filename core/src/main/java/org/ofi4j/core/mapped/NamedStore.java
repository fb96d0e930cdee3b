// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.MemoryUse;
import org.ofi4j.SharedVectorStatus;
import org.ofi4j.VectorType;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.check.Findings;
import org.ofi4j.core.check.PieceCheck;
import org.ofi4j.core.check.StoreCheck;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.share.VectorLocks;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;
import org.ofi4j.core.store.Recovery;
import org.ofi4j.core.store.StoreOptions;

/**
 * The entries of a named vector, in a file that several processes change and read.
 *
 * <p><b>Changes</b> are made between {@link #begin}, which takes the lock of all processes, and
 * {@link #end}. A process that takes the lock goes on from the changes of others. If the last
 * writer died with the lock, or a change of it failed, the next one restores what only writers use
 * from what readers use ({@link Recovery}), in the same file.
 *
 * <p><b>Readers</b> take no lock. They read as those of a private vector do, also while a writer
 * recovers.
 *
 * <p>A fault of the mapped memory, as when the file is cut, ends the use of the vector by this
 * process: nothing is published after it, and every later call reports it.
 */
public final class NamedStore extends EntryStore {
  /**
   * How often a writer looks for processes that died without the lock, as long as they may have
   * left something.
   */
  private static final long LOOK_EVERY = 1_000_000_000;

  private final NamedVector vector;
  private final VectorLocks locks;
  private final VectorFile file;
  private final SharedKeyNumbers keyNumbers;

  // For the thread that holds the lock.

  private boolean writing;

  /** Whether the change, or its begin, has failed, so that the next writer has to recover. */
  private boolean broken;

  /** The number of changes of all processes after the latest one of this store. */
  private long changes = -1;

  private long looked = System.nanoTime();

  /** How many reservations of this opening have not ended. */
  private int reservations;

  private NamedStore(NamedVector vector, VectorFile file, StoreOptions options) {
    this.vector = vector;
    this.locks = vector.locks();
    this.file = file;
    super(begunOptions(options, file), file);
    this.keyNumbers = new SharedKeyNumbers(vector, this);
    reserveFor(vector.participant() + 1);
  }

  /**
   * Returns the entries of a vector.
   *
   * @param vector the vector, closed with the store, and if this method fails
   * @param options its options; the seed is that of the vector
   * @throws FabricException with {@link Errno#EIO} if its file is damaged
   */
  public static NamedStore of(NamedVector vector, StoreOptions options) {
    NamedStore store;
    try {
      VectorFile file = vector.entries();
      try {
        if (file.pieces() == 0) {
          throw new FabricException(Errno.EIO, vector + " is damaged: it has no root");
        }
        store = new NamedStore(vector, file, options);
      } catch (Throwable failed) {
        file.close();
        throw failed;
      }
    } catch (Throwable failed) {
      vector.close();
      throw explained(vector, failed);
    }
    try {
      if (!vector.isReadOnly() && !vector.dead().isEmpty()) {
        // Processes that died without the lock left nothing but reservations and keys.
        store.begin();
        store.end();
      }
      return store;
    } catch (Throwable failed) {
      store.close();
      throw failed;
    }
  }

  /**
   * Attaches to a vector, or makes it if it is not there.
   *
   * @param domain the domain within which names are unique
   * @param wanted the traits that the vector must have
   * @param readOnly whether it must be there, and is only to be read
   * @param timeout how long this process waits for others
   * @throws FabricException as {@link NamedVector#open}, with {@link Errno#EINVAL} if its traits
   *     are others, and with {@link Errno#EIO} if its files are damaged
   */
  public static NamedStore open(
      String domain, String name, VectorTraits wanted, boolean readOnly, Duration timeout) {
    NamedVector vector =
        NamedVector.open(
            ShareDirectory.ofUser(),
            domain,
            name,
            wanted.withBase().toBytes(),
            readOnly,
            timeout,
            file -> found(file, wanted.options()));
    VectorTraits traits;
    try {
      traits = VectorTraits.of(vector.traits());
      wanted.checkFits(
          traits, "vector \"" + name + "\"", "open it with the same, or use another name");
    } catch (Throwable refused) {
      vector.close();
      throw refused;
    }
    return of(vector, traits.options());
  }

  /**
   * Removes the files of a vector that no process is attached to.
   *
   * @throws FabricException as {@link NamedVector#unlink}
   */
  public static void unlink(String domain, String name, Duration timeout) {
    NamedVector.unlink(ShareDirectory.ofUser(), domain, name, timeout);
  }

  /** Returns the sorted names of a domain's vectors with files. */
  public static List<String> names(String domain) {
    return ShareDirectory.ofUser().names(domain);
  }

  /** Returns the directory of this user for the files, made if it is not there. */
  public static Path directory() {
    return ShareDirectory.ofUser().path();
  }

  /** Returns the sorted domains that have vectors with files. */
  public static List<String> domains() {
    return ShareDirectory.ofUser().domains();
  }

  /** Returns the base of the handles of the vector. */
  public long handleBase() {
    return VectorTraits.of(vector.traits()).mapAddress();
  }

  /** Returns what is known of the vector, and of the processes that use it, under a name. */
  public SharedVectorStatus status(String name) {
    VectorTraits traits = VectorTraits.of(vector.traits());
    AddressFormat format = AddressFormat.of(traits.format());
    NamedVector.Writer writer = vector.currentWriter();
    return SharedVectorStatus.builder(name)
        .apiVersion(traits.version())
        .type(VectorType.of(traits.type()))
        .duplicates(traits.policy())
        .format(format == null ? AddressFormat.UNSPECIFIED : format)
        .receiveContextBits(traits.receiveContextBits())
        .maxGroup(traits.maxGroup())
        .mapAddress(traits.mapAddress())
        .count(traits.expected())
        .entries(size())
        .mostEntries(highWaterMark())
        .runs(ask((store, _, _, _) -> store.parts().runs().present().count(), 0))
        .memory(memory())
        .repairs(vector.repairs())
        .changes(locks.changes())
        .writer(process(writer.process()))
        .writerAtWork(writer.isAtWork())
        .processes(vector.otherProcesses())
        .build();
  }

  /** Returns a process as the API does; in the control file 0 stands for none. */
  static OptionalLong process(long number) {
    return number == 0 ? OptionalLong.empty() : OptionalLong.of(number);
  }

  /** Makes an empty store in a file that no other process has opened yet. */
  public static void found(VectorFile file, StoreOptions options) {
    new EntryStore(options, file).settle();
  }

  @Override
  public KeyNumbers keyNumbers(int most) {
    return keyNumbers;
  }

  // The lock.

  @Override
  public void begin() {
    begin(Waiting.deadline(vector.lockTimeout()));
  }

  @Override
  public void begin(long deadline) {
    if (vector.isReadOnly()) {
      throw new FabricException(
          Errno.EACCES, vector + " was opened with FI_READ and cannot be changed");
    }
    checkReadable();
    // A cut that is found before anything is changed leaves nothing half.
    checkLength();
    boolean died = locks.begin(deadline);
    broken = died;
    try {
      if (died) {
        recover();
      } else if (locks.changes() != changes) {
        follow();
      }
      if (died || changes < 0) {
        endDead(true);
      } else if (System.nanoTime() - looked > LOOK_EVERY
          && (parts().counts().reserved() > 0 || parts().keys().count() > 0)) {
        looked = System.nanoTime();
        endDead(false);
      }
      if (changes < 0) {
        endUncounted(parts().keys());
      }
      broken = false;
      writing = true;
    } catch (OutOfMemoryError exhausted) {
      throw new FabricException(
          Errno.ENOMEM,
          "no memory to %s %s: %s"
              .formatted(died ? "repair" : "begin a change of", vector, exhausted.getMessage()),
          exhausted);
    } catch (RuntimeException | InternalError failed) {
      throw failed(failed);
    } finally {
      if (!writing && broken) {
        fail();
      } else if (!writing) {
        giveBack();
      }
    }
  }

  /** Gives the lock back after a change that did not begin; why it did not is what counts. */
  private void giveBack() {
    try {
      locks.end();
    } catch (FabricException later) {
      return;
    }
  }

  /**
   * Gives back what processes held that died, then their places; they are looked for now.
   *
   * @param patiently whether to wait for processes that attach or leave
   */
  void endDead(boolean patiently) {
    vector.forgetDead(
        patiently,
        dead -> {
          broken |= !writing;
          Set<Integer> owners = dead.stream().map(place -> place + 1).collect(Collectors.toSet());
          cancelOf(owners);
          parts().keys().letGoOf(owners);
        });
  }

  /**
   * Releases keys that are held from the place of this process, but by no opening of it: the
   * process that had the place before could not release them.
   */
  private void endUncounted(KeySlots slots) {
    for (int number = 0; number < slots.count(); number++) {
      if (slots.isHeldBy(number, vector.participant()) && vector.countKeyHolds(number, 0) == 0) {
        slots.letGo(number, vector.participant());
      }
    }
  }

  /**
   * Restores the store after a writer that died, or a change that failed.
   *
   * @throws FabricException with {@link Errno#EIO} if a number in the file leads nowhere
   * @throws OutOfMemoryError if memory ran out; the next writer tries again
   */
  private void recover() {
    Findings findings = new Findings();
    @Nullable Recovery[] recovery = new Recovery[1];
    long end = PieceCheck.end(file, findings);
    if (findings.isEmpty()) {
      file.end(end);
      findings.in(
          "the file of entries",
          () ->
              recovery[0] = new StoreCheck(this, owner -> true, false, findings).freeOtherMemory());
    }
    Recovery counted = recovery[0];
    if (counted == null || !findings.isEmpty()) {
      throw new FabricException(
          Errno.EIO,
          ("%s cannot be repaired after its writer died, as its file is damaged (%s); let all"
                  + " processes close it, or look at it with ofi4j av verify")
              .formatted(vector, findings.list().getFirst()));
    }
    counted.recover();
    vector.addRepair();
  }

  @Override
  public void end() {
    writing = false;
    if (broken) {
      fail();
      return;
    }
    try {
      settle();
    } catch (Throwable failed) {
      fail();
      throw failed(failed);
    }
    changes = locks.end();
  }

  /** Gives the lock back to a writer that has to recover. */
  private void fail() {
    parts().counts().forget();
    locks.fail();
  }

  @Override
  public Duration lockTimeout() {
    return vector.lockTimeout();
  }

  @Override
  public FabricException late() {
    return locks.late();
  }

  // Writing.

  /** {@inheritDoc} A refusal, which changed nothing, is not to be repaired. */
  @Override
  protected int change(Change change, int index, AddressKey key) {
    if (!writing) {
      throw new IllegalStateException("entries are changed without the lock");
    }
    checkReadable();
    if (broken) {
      throw new FabricException(
          Errno.EIO, vector + " is to be repaired after a change that failed: try again");
    }
    try {
      return super.change(change, index, key);
    } catch (RuntimeException | Error failed) {
      broken |= !(failed instanceof FabricException known) || known.errno() == Errno.EIO;
      throw failed(failed);
    }
  }

  @Override
  public int reserve() {
    int index = super.reserve();
    reservations += index < 0 ? 0 : 1;
    return index;
  }

  @Override
  public int publish(int reserved, AddressKey key) {
    int outcome = super.publish(reserved, key);
    reservations--;
    return outcome;
  }

  @Override
  public void cancel(int reserved) {
    super.cancel(reserved);
    reservations--;
  }

  /**
   * {@inheritDoc} Needs no lock of other processes, but for a reserved index that of this one: then
   * the reservation is not another one by the time that it gets the id.
   */
  @Override
  protected boolean takesUserId(int index) {
    return writing ? super.takesUserId(index) : isLive(index);
  }

  // Failures.

  @Override
  protected RuntimeException explained(Throwable failed) {
    return explained(vector, failed);
  }

  private static RuntimeException explained(NamedVector vector, Throwable failed) {
    return switch (failed) {
      case FabricException known -> known;
      case InternalError fault ->
          new FabricException(
              Errno.EIO,
              ("%s cannot be used any more here: its mapped file lost memory, as when it was cut"
                      + " (%s); close it")
                  .formatted(vector, fault.getMessage()),
              fault);
      case Error error -> throw error;
      default ->
          new FabricException(
              Errno.EIO,
              ("%s is damaged: its file has numbers that lead nowhere (%s); let all processes"
                      + " close it, or look at it with ofi4j av verify")
                  .formatted(vector, failed),
              failed);
    };
  }

  /** Checks that the file is as long as it says. */
  private void checkLength() {
    try {
      if (!file.isWhole()) {
        throw new InternalError("the file was cut");
      }
    } catch (InternalError fault) {
      throw failed(fault);
    }
  }

  @Override
  public MemoryUse memory() {
    checkReadable();
    // Compiled, it reads in ways from which the machine does not come back after a fault.
    checkLength();
    return super.memory();
  }

  @Override
  public String shortage() {
    String full = file.full();
    return full == null ? super.shortage() : "that " + full;
  }

  @Override
  public void copyInto(EntryStore target, StoreOptions options) {
    if (vector.isReadOnly()) {
      throw new FabricException(
          Errno.EACCES,
          vector
              + " was opened with FI_READ and cannot be saved, as no process could be kept from"
              + " changing it: open it without FI_READ to save it");
    }
    begin();
    try {
      super.copyInto(target, options);
    } finally {
      end();
    }
  }

  @Override
  public void close() {
    close(keyNumbers.close() && reservations == 0);
  }

  /** Closes it; {@code free} if nothing is left that another process has to give back. */
  public void close(boolean free) {
    super.close();
    try {
      // If not, others had the lock for too long to give them back.
      vector.close(free);
    } catch (InternalError fault) {
      // The control file was cut. It is closed all the same, and no process can come to it any
      // more.
      return;
    }
  }
}
