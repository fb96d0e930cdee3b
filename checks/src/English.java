// SPDX-License-Identifier: Apache-2.0
import module java.base;

/// Counts two habits that make English hard to read: seven words, and sentences of comments that
/// begin with a subordinate clause. Words are counted in Java sources and in pages, sentences in
/// Java sources only.
///
/// A file lists the number of each habit in each module; `pages` are the ones outside of modules. A
/// higher number fails the build. A lower number replaces the listed one, so that numbers only
/// fall.
///
/// Run by Maven from its source: `java English.java <root> <file>`.
final class English {
  private static final Pattern WORD =
      Pattern.compile(
          "\\b(whoever|somebody|nobody|everybody|anew|meanwhile|likewise)\\b",
          Pattern.CASE_INSENSITIVE);

  /// The first word of a comment, of a paragraph, of a sentence, or after a tag of javadoc.
  private static final Pattern OPENING =
      Pattern.compile(
          "(?:\\A|[.:!?]\\s|\\n\\n|<\\w+>|@\\w+\\s(?:[\\w<>]+\\s)?)\\s*"
              + "(What|Who|Whoever|Where|That)\\b");

  /// A comment between delimiters, or a run of comment lines. Literals may look like either.
  private static final Pattern COMMENT =
      Pattern.compile(
          "\"\"\"(?:[^\"\\\\]++|\\\\.|\"(?!\"\"))*+\"\"\""
              + "|\"(?:[^\"\\\\\n]++|\\\\.)*+\"|'(?:[^'\\\\\n]++|\\\\.)*+'"
              + "|(?<comment>/\\*.*?\\*/|//[^\n]*(?:\n *//[^\n]*)*)",
          Pattern.DOTALL);

  private static final Pattern MARGIN =
      Pattern.compile("^ *(?:/\\*+|\\*+/?|/{2,3})? ?| *\\*/$", Pattern.MULTILINE);

  private record Place(Path file, int line, String text) {}

  private final Path root;
  private final SortedMap<String, List<Place>> places = new TreeMap<>();

  private English(Path root) {
    this.root = root;
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    var english = new English(Path.of(arguments[0]).toRealPath());
    english.read();
    if (!english.compare(Path.of(arguments[1]))) {
      System.exit(1);
    }
  }

  private void read() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(root)) {
      files =
          all.map(root::relativize)
              .filter(file -> file.toString().matches("(?!\\.|(.*/)?target/).*\\.(java|md)"))
              .toList();
    }
    for (Path file : files) {
      String source = Files.readString(root.resolve(file));
      String module = file.getName(0).toString();
      if (!Files.exists(root.resolve(module).resolve("pom.xml"))) {
        module = "pages";
      }
      find(module + ".words", WORD, file, source, 0, source);
      if (file.toString().endsWith(".java")) {
        for (Matcher comment = COMMENT.matcher(source); comment.find(); ) {
          if (comment.group("comment") != null) {
            String text = MARGIN.matcher(comment.group()).replaceAll("");
            find(module + ".openings", OPENING, file, source, comment.start(), text);
          }
        }
      }
    }
  }

  /// Adds the places of a habit in a text with as many lines as the source has from an offset on.
  private void find(String key, Pattern habit, Path file, String source, int offset, String text) {
    for (Matcher place = habit.matcher(text); place.find(); ) {
      int line = lines(source, offset) + lines(text, place.start(1));
      String found = source.lines().skip(line).findFirst().orElseThrow().strip();
      places.computeIfAbsent(key, _ -> new ArrayList<>()).add(new Place(file, line + 1, found));
    }
  }

  /// Returns the number of lines that end before an offset.
  private static int lines(String text, int offset) {
    return (int) text.substring(0, offset).chars().filter(c -> c == '\n').count();
  }

  /// Returns whether no number is higher than the listed one; lists the numbers of today if so.
  private boolean compare(Path file) throws IOException, InterruptedException {
    var listed = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      listed.load(reader);
    }
    boolean risen = false;
    for (var entry : places.entrySet()) {
      int most = Integer.parseInt(listed.getProperty(entry.getKey(), "0"));
      if (entry.getValue().size() > most) {
        risen = true;
        System.err.printf(
            "%s: %d places, more than the %d before. Reword these (CONTRIBUTING.md, English):%n",
            entry.getKey(), entry.getValue().size(), most);
        recent(entry.getValue(), file)
            .forEach(place ->
                System.err.println("  " + place.file + ":" + place.line + ": " + place.text));
      }
    }
    if (risen) {
      return false;
    }
    List<String> now =
        places.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue().size())
            .toList();
    if (!now.equals(Files.readAllLines(file))) {
      Files.write(file, now);
    }
    return true;
  }

  /// Returns the places in lines that were added after the list was last committed, as far as Git
  /// knows them, otherwise the first 30 places.
  private List<Place> recent(List<Place> all, Path list) throws InterruptedException {
    String commit = Git.output(root, "log", "-1", "--format=%H", "--", list.toString()).strip();
    Set<String> added =
        Git.output(root, "diff", "--unified=0", commit)
            .lines()
            .filter(line -> line.startsWith("+"))
            .map(line -> line.substring(1).strip())
            .collect(Collectors.toSet());
    List<Place> recent = all.stream().filter(place -> added.contains(place.text)).toList();
    return recent.isEmpty() ? all.stream().limit(30).toList() : recent;
  }
}
