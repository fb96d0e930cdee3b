// SPDX-License-Identifier: Apache-2.0
import module java.base;

/// Formats every Java file below a directory and puts the licence at its head, or names those that
/// are not formatted or do not begin with the licence.
///
/// A check leaves out files that are older than the last one that found nothing; that one is told
/// by the time of an empty file.
///
/// Run by Maven from its source, with google-java-format on the class path: `java Format.java
/// check|write <directory> <file>`.
final class Format {

  private static final String LICENCE = "// SPDX-License-Identifier: Apache-2.0\n";

  private Format() {}

  public static void main(String[] arguments) throws IOException {
    boolean write = arguments[0].equals("write");
    Path root = Path.of(arguments[1]).toRealPath();
    Path checked = Path.of(arguments[2]);
    FileTime begun = FileTime.from(Instant.now());
    List<String> files = javaFiles(root, write ? FileTime.fromMillis(0) : lastCheck(checked));
    List<String> unlicensed = unlicensed(files);
    if (write) {
      license(unlicensed);
    }
    var output = new StringWriter();
    int status = files.isEmpty() ? 0 : format(files, write, new PrintWriter(output));
    if (status != 0 && !write) {
      System.err.println("Not formatted:");
      output
          .toString()
          .lines()
          .map(file -> "  " + root.relativize(Path.of(file)))
          .forEach(System.err::println);
    }
    if (!unlicensed.isEmpty() && !write) {
      System.err.println("First line is not " + LICENCE.strip() + ":");
      unlicensed.forEach(file -> System.err.println("  " + root.relativize(Path.of(file))));
      status = 1;
    }
    if (status != 0 && !write) {
      System.err.println("To mend them: mvn -pl checks verify -Dformat");
    }
    if (status == 0 && !write) {
      Files.createDirectories(checked.getParent());
      Files.write(checked, new byte[0]);
      Files.setLastModifiedTime(checked, begun);
    }
    System.exit(status);
  }

  private static FileTime lastCheck(Path checked) throws IOException {
    return Files.exists(checked) ? Files.getLastModifiedTime(checked) : FileTime.fromMillis(0);
  }

  private static List<String> unlicensed(List<String> files) throws IOException {
    var found = new ArrayList<String>();
    for (String file : files) {
      if (!Files.readString(Path.of(file)).startsWith(LICENCE)) {
        found.add(file);
      }
    }
    return found;
  }

  private static void license(List<String> files) throws IOException {
    for (String file : files) {
      Files.writeString(Path.of(file), LICENCE + Files.readString(Path.of(file)));
    }
  }

  private static int format(List<String> files, boolean write, PrintWriter output) {
    List<String> options =
        write ? List.of("--replace") : List.of("--dry-run", "--set-exit-if-changed");
    String[] arguments = Stream.concat(options.stream(), files.stream()).toArray(String[]::new);
    return ToolProvider.findFirst("google-java-format")
        .orElseThrow()
        .run(output, new PrintWriter(System.err, true), arguments);
  }

  private static List<String> javaFiles(Path root, FileTime since) throws IOException {
    var files = new ArrayList<String>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = directory.getFileName().toString();
            boolean skip = name.equals("target") || name.startsWith(".");
            return skip && !directory.equals(root)
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java")
                && attributes.lastModifiedTime().compareTo(since) >= 0) {
              files.add(file.toString());
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }
}
