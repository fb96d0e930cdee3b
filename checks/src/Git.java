// SPDX-License-Identifier: Apache-2.0
import module java.base;

/// Runs Git for the other programs of this folder, which compile it with them.
final class Git {
  private Git() {}

  /// Returns the output of a command, or nothing if the directory is no repository or there is no
  /// Git: sources may come from an archive.
  static String output(Path directory, String... arguments) throws InterruptedException {
    List<String> command = Stream.concat(Stream.of("git"), Stream.of(arguments)).toList();
    try {
      Process git =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return git.waitFor() == 0 ? output : "";
    } catch (IOException missing) {
      return "";
    }
  }
}
