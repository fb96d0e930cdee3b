// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * A look at the files of a named vector by somebody who does not take part in it, whether or not
 * anybody does. While it is looked at nobody changes it: the look holds the lock of all writers. It
 * keeps nobody from making a vector anew that nobody is attached to: then there is another look.
 *
 * <p>It is made by {@link #of}, and good for the thread and the call that it is passed to.
 *
 * @param control the control file
 * @param participants who is attached, or was and has not been cleaned up after
 * @param faults what is wrong with the control file, and with the header of the file of entries
 * @param entries the file of entries, mapped to be read only, or null if it cannot be used
 */
public record VectorInspection(
    ControlFile control,
    List<Participant> participants,
    List<String> faults,
    @Nullable VectorFile entries) {
  /** Who is attached, or was. */
  public record Participant(int place, long process, boolean alive) {}

  /** Copies the lists. */
  public VectorInspection {
    participants = List.copyOf(participants);
    faults = List.copyOf(faults);
  }

  /**
   * Looks at a vector.
   *
   * @param control its control file, {@link ShareDirectory#control}
   * @param timeout how long whoever changes it is waited for
   * @param look looks at what there is of it, until this returns
   * @throws FabricException with {@link Errno#ENOENT} if there is no such file; with {@link
   *     Errno#EACCES} if it is not this user's; with {@link Errno#EAGAIN}, naming the process, if
   *     somebody changes the vector for longer; with {@link Errno#EIO} if it cannot be read
   */
  public static <T> T of(
      ShareDirectory directory,
      Path control,
      Duration timeout,
      Function<VectorInspection, T> look) {
    Path path = control.toAbsolutePath();
    try {
      if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        throw absent(path, null);
      }
      directory.check(path);
      return Memberships.visit(path, timeout, membership -> look(membership, timeout, look));
    } catch (NoSuchFileException gone) {
      throw absent(path, gone);
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be looked at: " + e, e);
    }
  }

  private static FabricException absent(Path path, @Nullable Throwable cause) {
    String why = "there is no named vector with control file " + path;
    return cause == null
        ? new FabricException(Errno.ENOENT, why)
        : new FabricException(Errno.ENOENT, why, cause);
  }

  private static <T> T look(
      Membership membership, Duration timeout, Function<VectorInspection, T> look) {
    ControlFile control = membership.control();
    List<String> faults = control.faults();
    List<Participant> participants =
        membership.ask(
            timeout,
            () -> {
              List<Participant> taken = new ArrayList<>();
              for (int place : membership.participants().taken()) {
                taken.add(
                    new Participant(
                        place,
                        control.participant(place),
                        membership.participants().isAlive(place)));
              }
              return taken;
            });
    try (VectorFile entries = entries(control, faults)) {
      return look.apply(new VectorInspection(control, participants, faults, entries));
    }
  }

  private static @Nullable VectorFile entries(ControlFile control, List<String> faults) {
    if (control.generation() == 0) {
      return null;
    }
    try {
      return VectorFile.attach(
          ShareDirectory.data(control.path, control.generation()),
          false,
          control.id(),
          control.generation());
    } catch (FabricException | IOException damaged) {
      faults.add(String.valueOf(damaged.getMessage()));
      return null;
    }
  }

  /** What it is like, as the control file says. */
  public VectorTraits traits() {
    return control.traits();
  }

  /** The number of the file that has the entries; 0 if there was none yet. */
  public long generation() {
    return control.generation();
  }

  /** How many times the lock of all writers was held and given back. */
  public long changes() {
    return control.changes();
  }

  /** The process that died, or failed, while changing it, until the next one repairs it; or 0. */
  public long interrupted() {
    return ControlFile.process(control.writer());
  }

  /** Whether anybody is attached; if not, whoever opens it next begins anew. */
  public boolean isLive() {
    return control.isReady() && participants.stream().anyMatch(Participant::alive);
  }
}
