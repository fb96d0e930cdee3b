// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static org.ofi4j.core.object.Misuse.unsupported;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
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
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
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

  /** A directory that belongs to the user of this process. */
  private static final Path SELF = Path.of("/proc/self");

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  /** File names have room for that, and for what is added to them. */
  private static final int MAX_NAME = 180;

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
    return open(parent, () -> parent.resolve("ofi4j-" + ofThisProcess("unix:uid", parent)));
  }

  /**
   * A directory of the caller's choice.
   *
   * @return the directory, made if it was not there
   * @throws FabricException as {@link #ofUser}
   */
  public static ShareDirectory at(Path directory) {
    return open(directory, () -> directory);
  }

  private static ShareDirectory open(Path place, ControlFile.Question<Path> question) {
    try {
      Path directory = question.ask();
      try {
        Files.createDirectory(directory, OWN_DIRECTORY);
      } catch (FileAlreadyExistsException there) {
        // Checked below.
      }
      UserPrincipal user = (UserPrincipal) ofThisProcess("owner:owner", directory);
      new ShareDirectory(directory, user).check(directory, true);
      // Whichever way leads there, in this process it is one.
      return new ShareDirectory(directory.toRealPath(), user);
    } catch (UnsupportedOperationException | IllegalArgumentException foreign) {
      throw unsupported("named vectors need files with owners, which " + place + " has not");
    } catch (IOException e) {
      throw new FabricException(
          VectorFile.isFull(e) ? Errno.ENOMEM : Errno.EACCES,
          "directory %s of named vectors cannot be used, the system property %s may name another: %s"
              .formatted(place, PROPERTY, e),
          e);
    }
  }

  /** Returns the directory itself. */
  public Path path() {
    return directory;
  }

  /** Where the control file of a vector is, or would be. */
  public Path control(String domain, String name) {
    return directory.resolve(fileName(domain, name) + ControlFile.SUFFIX);
  }

  /** What the names of all files of a vector begin with. */
  static String stem(Path control) {
    String name = String.valueOf(control.getFileName());
    return name.substring(0, name.length() - ControlFile.SUFFIX.length());
  }

  /** The name that files have of a vector: two names never give the same one. */
  static String fileName(String domain, String name) {
    String encoded = encode(domain) + "+" + encode(name);
    return encoded.length() <= MAX_NAME ? encoded : "=" + HexFormat.of().formatHex(digest(encoded));
  }

  /** The sorted names of a domain's vectors with files, but for names too long for a file's. */
  public List<String> names(String domain) {
    String prefix = encode(domain) + "+";
    return decoded(stem -> stem.startsWith(prefix) ? stem.substring(prefix.length()) : "");
  }

  /** The sorted domains that have vectors with files, but for names too long for a file's. */
  public List<String> domains() {
    return decoded(stem -> stem.substring(0, Math.max(0, stem.indexOf('+'))));
  }

  /** Returns the decoded parts of the names of control files, sorted, each once. */
  private List<String> decoded(UnaryOperator<String> part) {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(ControlFile.SUFFIX))
          .map(file -> part.apply(stem(file)))
          // Others may have put files there.
          .filter(
              code -> code.matches("(?:[\\w-]|%[0-9A-F]{2})+") && encode(decode(code)).equals(code))
          .map(ShareDirectory::decode)
          .distinct()
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, directory + " cannot be listed: " + e, e);
    }
  }

  private static String decode(String code) {
    return URLDecoder.decode(code, StandardCharsets.UTF_8);
  }

  /** Letters, digits, minus and underscore stay; other bytes of UTF-8 become {@code %XX}. */
  static String encode(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8)
        .replace("+", "%20")
        .replace(".", "%2E")
        .replace("*", "%2A");
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
    Set<PosixFilePermission> open = EnumSet.copyOf(PosixFilePermissions.fromString("---rwxrwx"));
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

  /**
   * Returns an attribute of the owner of files that this process makes. Its number names the
   * directory, as two processes of a user may know the user by different names: Java decodes the
   * name in the locale of the process, and reads it from a file that another root directory lacks.
   *
   * @param directory a directory that takes a file to read the owner of, if there is no /proc
   */
  private static Object ofThisProcess(String attribute, Path directory) throws IOException {
    if (Files.exists(SELF)) {
      return Files.getAttribute(SELF, attribute);
    }
    Path probe = Files.createTempFile(directory, "ofi4j", ".tmp", OWN_FILE);
    try {
      return Files.getAttribute(probe, attribute);
    } finally {
      Files.delete(probe);
    }
  }
}
