// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static org.ofi4j.core.object.Misuse.unsupported;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * The directory of one user in which named vectors have their files: in {@code /dev/shm}, or where
 * temporary files are. Nothing in it is trusted that someone else owns, may write, or that is a
 * link.
 */
public final class ShareDirectory {
  /** Names the directory, instead of the one of the user. */
  public static final String PROPERTY = "ofi4j.share.directory";

  static final FileAttribute<Set<PosixFilePermission>> OWN_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final FileAttribute<Set<PosixFilePermission>> OWN_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final Set<PosixFilePermission> OF_OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  /** A directory that belongs to the user of this process. */
  private static final Path SELF = Path.of("/proc/self");

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  /** File names have room for that, and for what is added to them. */
  private static final int MAX_NAME = 180;

  /** What names of files have as it is. */
  private static final String PLAIN =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

  private final Path directory;
  private final UserPrincipal user;

  private ShareDirectory(Path directory, UserPrincipal user) {
    this.directory = directory;
    this.user = user;
  }

  /**
   * The directory of this user, made if it is not there.
   *
   * @throws FabricException with {@link Errno#EACCES} if it is not this user's alone, with {@link
   *     Errno#ENOMEM} if there is no room for it, and with {@link Errno#ENOSYS} if this system has
   *     no such files
   */
  public static ShareDirectory ofUser() {
    String named = System.getProperty(PROPERTY);
    if (named != null) {
      return at(Path.of(named));
    }
    Path parent =
        Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY)
            ? SHARED_MEMORY
            : Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
    return at(parent.resolve("ofi4j-" + userId(parent)));
  }

  /**
   * Returns the numeric id of the user of this process. Two processes of a user may know the user
   * by different names: Java decodes the name in the locale of the process, and reads it from a
   * file that another root directory lacks.
   *
   * @param parent a directory that takes a file to read the owner of, if there is no /proc
   */
  private static int userId(Path parent) {
    try {
      if (Files.exists(SELF)) {
        return (int) Files.getAttribute(SELF, "unix:uid");
      }
      Path probe = Files.createTempFile(parent, "ofi4j", ".tmp", OWN_FILE);
      try {
        return (int) Files.getAttribute(probe, "unix:uid");
      } finally {
        Files.delete(probe);
      }
    } catch (UnsupportedOperationException | IllegalArgumentException foreign) {
      throw unsupported("named vectors need files with owners, which " + parent + " has not");
    } catch (IOException e) {
      throw new FabricException(
          Errno.EACCES,
          "the user of this process is unknown, so named vectors need a directory of their own: set"
              + " the system property "
              + PROPERTY
              + ": "
              + e,
          e);
    }
  }

  /**
   * A directory of the caller's choice.
   *
   * @return the directory, made if it was not there
   * @throws FabricException as {@link #ofUser}
   */
  public static ShareDirectory at(Path directory) {
    try {
      try {
        Files.createDirectory(directory, OWN_DIRECTORY);
      } catch (FileAlreadyExistsException there) {
        // Checked below.
      }
      UserPrincipal user = whoWeAre(directory);
      new ShareDirectory(directory, user).check(directory, true);
      // Whichever way leads there, in this process it is one.
      return new ShareDirectory(directory.toRealPath(), user);
    } catch (UnsupportedOperationException foreign) {
      throw unsupported("named vectors need files with owners, which " + directory + " has not");
    } catch (IOException e) {
      throw new FabricException(
          VectorFile.isFull(e) ? Errno.ENOMEM : Errno.EACCES,
          "directory " + directory + " of named vectors cannot be used: " + e,
          e);
    }
  }

  Path path() {
    return directory;
  }

  /** Where the control file of a vector is, or would be. */
  public Path control(String domain, String name) {
    return directory.resolve(fileName(domain, name) + ControlBlock.SUFFIX);
  }

  /** Where the file with the entries of a vector is, or would be. */
  static Path data(Path control, long generation) {
    return control.resolveSibling(stem(control) + "." + generation + VectorFile.SUFFIX);
  }

  static void deleteEntries(Path control) throws IOException {
    for (Path file : entries(control)) {
      Files.deleteIfExists(file);
    }
  }

  /**
   * Returns the path of the socket of a participant. The name is short, as paths of sockets are,
   * and no other control file has the inode.
   */
  static Path socket(Path control, long inode, int participant) {
    return control.resolveSibling(
        Long.toUnsignedString(inode) + "." + participant + LivenessSocket.SUFFIX);
  }

  /** The sockets of participants of a vector, those of dead participants included. */
  static List<Path> sockets(Path control, long inode) throws IOException {
    return files(control, Long.toUnsignedString(inode) + ".", LivenessSocket.SUFFIX);
  }

  /** Which generations have files with entries; of names that we do not give, none. */
  static List<Long> generations(Path control) throws IOException {
    int start = stem(control).length() + 1;
    List<Long> generations = new ArrayList<>();
    for (Path file : entries(control)) {
      String name = String.valueOf(file.getFileName());
      long number = number(name.substring(start, name.length() - VectorFile.SUFFIX.length()));
      if (number > 0) {
        generations.add(number);
      }
    }
    return generations;
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException foreign) {
      return 0;
    }
  }

  private static List<Path> entries(Path control) throws IOException {
    return files(control, stem(control) + ".", VectorFile.SUFFIX);
  }

  /** The files beside a control file whose names begin and end in a certain way. */
  private static List<Path> files(Path control, String prefix, String suffix) throws IOException {
    Path directory = control.toAbsolutePath().getParent();
    if (directory == null) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> {
            String name = String.valueOf(file.getFileName());
            return name.startsWith(prefix) && name.endsWith(suffix);
          })
          .toList();
    }
  }

  /** What the names of all files of a vector begin with. */
  static String stem(Path control) {
    String name = String.valueOf(control.getFileName());
    return name.substring(0, name.length() - ControlBlock.SUFFIX.length());
  }

  /** The name that files have of a vector: two names never give the same one. */
  static String fileName(String domain, String name) {
    String encoded = encode(domain) + "+" + encode(name);
    return encoded.length() <= MAX_NAME ? encoded : "=" + HexFormat.of().formatHex(digest(encoded));
  }

  /** The sorted names of a domain's vectors with files, but for names too long for a file's. */
  public List<String> names(String domain) {
    String prefix = encode(domain) + "+";
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(file -> file.startsWith(prefix) && file.endsWith(ControlBlock.SUFFIX))
          .map(
              file -> file.substring(prefix.length(), file.length() - ControlBlock.SUFFIX.length()))
          // Others may have put files there.
          .filter(encoded -> !encoded.isEmpty() && encode(decode(encoded)).equals(encoded))
          .map(ShareDirectory::decode)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, directory + " cannot be listed: " + e, e);
    }
  }

  /** The sorted domains that have vectors with files, but for names too long for a file's. */
  public List<String> domains() {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(file -> file.endsWith(ControlBlock.SUFFIX) && file.indexOf('+') > 0)
          .map(file -> file.substring(0, file.indexOf('+')))
          // Others may have put files there.
          .filter(encoded -> encode(decode(encoded)).equals(encoded))
          .map(ShareDirectory::decode)
          .distinct()
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, directory + " cannot be listed: " + e, e);
    }
  }

  private static String decode(String encoded) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < encoded.length(); i++) {
      char c = encoded.charAt(i);
      boolean isByte = c == '%' && i + 2 < encoded.length();
      if (isByte
          && HexFormat.isHexDigit(encoded.charAt(i + 1))
          && HexFormat.isHexDigit(encoded.charAt(i + 2))) {
        bytes.write(HexFormat.fromHexDigits(encoded, i + 1, i + 3));
        i += 2;
      } else {
        bytes.write(c);
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Letters, digits, minus and underscore stay; other bytes of UTF-8 become {@code %XX}. */
  static String encode(String name) {
    StringBuilder encoded = new StringBuilder();
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      if (PLAIN.indexOf(b) >= 0) {
        encoded.append((char) b);
      } else {
        encoded.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
      }
    }
    return encoded.toString();
  }

  private static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Refuses a file that is a link, or that someone else owns or may use.
   *
   * @throws FabricException with {@link Errno#EACCES} if so
   * @throws IOException if it cannot be looked at
   */
  void check(Path file) throws IOException {
    check(file, false);
  }

  private void check(Path file, boolean isDirectory) throws IOException {
    PosixFileAttributes found =
        Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (isDirectory ? !found.isDirectory() : !found.isRegularFile()) {
      String wanted = isDirectory ? "directory" : "file";
      throw refused(file, "is a link or no " + wanted, "remove it");
    }
    if (!found.owner().equals(user)) {
      throw refused(
          file,
          "belongs to " + found.owner().getName() + ", not to " + user.getName(),
          "remove it");
    }
    Set<PosixFilePermission> open = EnumSet.copyOf(OF_OTHERS);
    open.retainAll(found.permissions());
    if (!open.isEmpty()) {
      throw refused(
          file,
          "is open to others (" + open + ")",
          "close it to them with chmod " + (isDirectory ? "700 " : "600 ") + file);
    }
  }

  private static FabricException refused(Path file, String why, String advice) {
    return new FabricException(
        Errno.EACCES,
        "%s %s, so it is not trusted with named vectors: %s, or set the system property %s"
            .formatted(file, why, advice, PROPERTY));
  }

  /** Who owns what this process makes. */
  private static UserPrincipal whoWeAre(Path directory) throws IOException {
    if (Files.exists(SELF)) {
      return Files.getOwner(SELF);
    }
    Path probe = Files.createTempFile(directory, "owner", ".tmp", OWN_FILE);
    try {
      return Files.getOwner(probe);
    } finally {
      Files.delete(probe);
    }
  }
}
