// SPDX-License-Identifier: Apache-2.0
import module java.base;
import module java.xml;

import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/// Says which tests of a build were skipped, why, and what to install so that they run. It reads
/// the reports of Surefire and Failsafe: `java Skipped.java <project> <begin of the build>`.
/// Reports that are older are of another build.
final class Skipped {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

  /// What a test says that misses libfabric or a compiler.
  private static final Pattern MISSING = Pattern.compile("libfabric|fi_\\w+|C program|cc\\b|gcc");

  private Skipped() {}

  public static void main(String[] arguments) throws Exception {
    FileTime begin = FileTime.from(Instant.from(TIME.parse(arguments[1])));
    // Why, and how many tests of which class.
    var skipped = new TreeMap<String, TreeMap<String, Integer>>();
    for (Path report : reports(Path.of(arguments[0]))) {
      if (Files.getLastModifiedTime(report).compareTo(begin) >= 0) {
        read(report, skipped);
      }
    }
    if (skipped.isEmpty()) {
      return;
    }
    System.out.println("Tests that were skipped:");
    skipped.forEach((reason, classes) -> {
      System.out.println("  " + reason);
      classes.forEach((name, count) -> System.out.println("    " + name + ": " + count));
    });
    if (skipped.keySet().stream().anyMatch(reason -> MISSING.matcher(reason).find())) {
      System.out.println(
          "To run those with libfabric's C programs too, install a C compiler and libfabric:");
      System.out.println(
          "  Debian, Ubuntu: apt-get install gcc libc6-dev libfabric-bin libfabric-dev");
      System.out.println("  Fedora: dnf install gcc libfabric libfabric-devel");
      System.out.println("With -Dofi4j.interop=required they fail instead of being skipped.");
    }
  }

  private static List<Path> reports(Path project) throws IOException {
    PathMatcher matcher =
        project
            .getFileSystem()
            .getPathMatcher("glob:*/target/{surefire,failsafe}-reports/TEST-*.xml");
    try (Stream<Path> files =
        Files.find(project, 4, (file, _) -> matcher.matches(project.relativize(file)))) {
      return files.sorted().toList();
    }
  }

  private static void read(Path report, Map<String, TreeMap<String, Integer>> skipped)
      throws Exception {
    NodeList found =
        DocumentBuilderFactory.newDefaultInstance()
            .newDocumentBuilder()
            .parse(report.toFile())
            .getElementsByTagName("skipped");
    for (int i = 0; i < found.getLength(); i++) {
      Element element = (Element) found.item(i);
      String name = ((Element) element.getParentNode()).getAttribute("classname");
      String reason =
          element
              .getAttribute("message")
              .replaceFirst("^Assumption failed: ", "")
              .lines()
              .findFirst()
              .orElse("for no reason given");
      skipped.computeIfAbsent(reason, _ -> new TreeMap<>()).merge(name, 1, Integer::sum);
    }
  }
}
