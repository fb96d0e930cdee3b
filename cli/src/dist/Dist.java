// SPDX-License-Identifier: Apache-2.0
import module java.base;

import java.lang.module.Configuration;

/// Gathers what the `ofi4j` command runs from into one directory:
///
/// - `lib` holds the modules of the command;
/// - `lib-benchmarks` holds those that only some commands need, as `ofi4j bench`;
/// - `lib-yardsticks` holds what `ofi4j bench pingpong` compares with, for JVMs that it starts;
/// - `lib-conformance` holds those that only `ofi4j conformance` needs;
/// - `lib-cluster` holds the class path that `ofi4j cluster` needs besides `lib`: jars of ZooKeeper
///   share packages, so they cannot be modules;
/// - `LICENSE` and `NOTICE` are those of this project;
/// - `licenses` holds a directory for each jar of somebody else, with its licences and notices.
///
/// The launcher runs it from its source: `java Dist.java <project> <jar of the command>
/// <directory>`. Beside that jar lies the file `classpath`, which names the other jars.
final class Dist {

  private static final String COMMAND = "org.ofi4j.cli";

  /// Needs the benchmarks, and is started by the same command.
  private static final String STRESS = "org.ofi4j.stress";

  private static final String CONFORMANCE = "org.ofi4j.conformance";

  /// Where jars keep licences and notices.
  private static final Pattern LICENCE =
      Pattern.compile(
          "META-INF/([^/]*(LICENSE|NOTICE|COPYING)[^/]*|licenses/[^/]+)", Pattern.CASE_INSENSITIVE);

  private static final String CHANGES =
      """
      In the jar of this distribution, class files from before Java 6 were raised to the format of
      Java 6, with stack maps. Nothing else was changed.
      """;

  /// The oldest class file that the JVM keeps in an ahead-of-time cache.
  private static final int OLDEST_CACHED = 50;

  private Dist() {}

  public static void main(String[] arguments) throws IOException {
    Path project = Path.of(arguments[0]).toRealPath();
    Path command = Path.of(arguments[1]).toRealPath();
    Path directory = Path.of(arguments[2]);
    List<Path> jars = jars(command);
    Set<Path> needed = resolved(jars, COMMAND);
    Set<Path> measuring = resolved(jars, COMMAND, STRESS);
    Set<Path> testing = resolved(jars, COMMAND, CONFORMANCE);
    testing.addAll(optional(jars, testing));
    Path lib = Files.createDirectories(directory.resolve("lib"));
    Path benchmarks = Files.createDirectories(directory.resolve("lib-benchmarks"));
    Path conformance = Files.createDirectories(directory.resolve("lib-conformance"));
    Path cluster = Files.createDirectories(directory.resolve("lib-cluster"));
    for (String file : List.of("LICENSE", "NOTICE")) {
      Files.copy(project.resolve(file), directory.resolve(file));
    }
    for (Path jar : jars) {
      Path place =
          needed.contains(jar)
              ? lib
              : measuring.contains(jar)
                  ? benchmarks
                  : testing.contains(jar) ? conformance : cluster;
      gather(jar, place, project, directory);
    }
    Path yardsticks = Files.createDirectories(directory.resolve("lib-yardsticks"));
    for (Path jar : paths(project.resolve("benchmarks/target/jars/yardsticks"))) {
      gather(jar, yardsticks, project, directory);
    }
  }

  /// Copies a jar to its place, and the licences of one that is not ours.
  private static void gather(Path jar, Path place, Path project, Path directory)
      throws IOException {
    Path target = place.resolve(jar.getFileName());
    Files.deleteIfExists(target);
    boolean changed = modernise(jar, target);
    if (!changed) {
      Files.copy(jar, target);
    }
    if (!jar.getParent().endsWith("target/jars")) {
      String name = jar.getFileName().toString().replaceFirst("[.]jar$", "");
      Path licences = Files.createDirectories(directory.resolve("licenses").resolve(name));
      copyLicences(jar, project.resolve("cli/src/dist/licenses"), licences);
      if (changed) {
        Files.writeString(licences.resolve("CHANGES"), CHANGES);
      }
    }
  }

  private static List<Path> jars(Path command) throws IOException {
    var jars = new ArrayList<Path>(List.of(command));
    jars.addAll(paths(command.resolveSibling("classpath")));
    return jars;
  }

  /// Reads the jars of a class path from a file.
  private static List<Path> paths(Path file) throws IOException {
    var jars = new ArrayList<Path>();
    for (String jar : Files.readString(file).strip().split(File.pathSeparator)) {
      jars.add(Path.of(jar).toRealPath());
    }
    return jars;
  }

  /// Copies what a jar says of its licence; a jar that says nothing has a file of its own here, the
  /// name of which begins the name of the jar.
  private static void copyLicences(Path jar, Path ours, Path target) throws IOException {
    try (var source = new JarFile(jar.toFile())) {
      for (JarEntry entry : Collections.list(source.entries())) {
        if (LICENCE.matcher(entry.getName()).matches()) {
          String name = entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
          Files.write(target.resolve(name), read(source, entry));
        }
      }
    }
    String name = jar.getFileName().toString();
    try (Stream<Path> files = Files.list(ours)) {
      for (Path file : files.toList()) {
        if (name.startsWith(file.getFileName().toString().replaceFirst("[.]txt$", "-"))) {
          Files.copy(file, target.resolve("LICENSE"));
        }
      }
    }
    try (Stream<Path> found = Files.list(target)) {
      if (found.findAny().isEmpty()) {
        throw new NoSuchFileException(
            ours.toString(), null, "needs a file with the licence of " + name);
      }
    }
  }

  /// The jars of the modules that these resolve, service providers included.
  private static Set<Path> resolved(List<Path> jars, String... roots) {
    Configuration graph =
        ModuleLayer.boot()
            .configuration()
            .resolveAndBind(ModuleFinder.of(), ModuleFinder.of(modules(jars)), List.of(roots));
    return graph.modules().stream()
        .map(module -> Path.of(module.reference().location().orElseThrow()))
        .collect(Collectors.toSet());
  }

  /// What modules of these jars can do without.
  private static Set<Path> optional(List<Path> jars, Set<Path> resolved) {
    Set<String> wanted =
        ModuleFinder.of(resolved.toArray(Path[]::new)).findAll().stream()
            .flatMap(module -> module.descriptor().requires().stream())
            .map(ModuleDescriptor.Requires::name)
            .collect(Collectors.toSet());
    return ModuleFinder.of(jars.toArray(Path[]::new)).findAll().stream()
        .filter(module -> wanted.contains(module.descriptor().name()))
        .map(module -> Path.of(module.location().orElseThrow()))
        .collect(Collectors.toSet());
  }

  /// The jars that are modules, or that a module asks for by name. One automatic module brings all
  /// others along, and those of the class path must not be among them.
  private static Path[] modules(List<Path> jars) {
    Set<ModuleReference> all = ModuleFinder.of(jars.toArray(Path[]::new)).findAll();
    Set<String> required =
        all.stream()
            .flatMap(module -> module.descriptor().requires().stream())
            .map(ModuleDescriptor.Requires::name)
            .collect(Collectors.toSet());
    return all.stream()
        .filter(module ->
            !module.descriptor().isAutomatic() || required.contains(module.descriptor().name()))
        .map(module -> Path.of(module.location().orElseThrow()))
        .toArray(Path[]::new);
  }

  /// Copies a jar with class files from before Java 6 raised to Java 6, which takes stack maps and
  /// nothing else. The ahead-of-time cache leaves older ones out, and reading and verifying them
  /// again at each start would take a third of the time.
  ///
  /// @return whether that was needed
  private static boolean modernise(Path jar, Path target) throws IOException {
    try (var source = new JarFile(jar.toFile())) {
      List<JarEntry> entries = Collections.list(source.entries());
      var classes = new HashMap<JarEntry, byte[]>();
      for (JarEntry entry : entries) {
        if (entry.getName().endsWith(".class")) {
          byte[] bytes = read(source, entry);
          if (ByteBuffer.wrap(bytes).getShort(6) < OLDEST_CACHED) {
            classes.put(entry, bytes);
          }
        }
      }
      boolean signed =
          entries.stream().anyMatch(entry -> entry.getName().matches("META-INF/[^/]+\\.SF"));
      if (classes.isEmpty() || signed) {
        return false;
      }
      ClassFile format = format(source);
      classes.replaceAll((_, bytes) -> raise(format, bytes));
      try (var output =
          new JarOutputStream(new BufferedOutputStream(Files.newOutputStream(target)))) {
        for (JarEntry entry : entries) {
          var copy = new ZipEntry(entry.getName());
          copy.setTime(entry.getTime());
          output.putNextEntry(copy);
          output.write(classes.containsKey(entry) ? classes.get(entry) : read(source, entry));
        }
      }
      return true;
    } catch (IllegalArgumentException unusual) {
      System.err.println(jar.getFileName() + " is copied as it is: " + unusual.getMessage());
      Files.deleteIfExists(target);
      return false;
    }
  }

  private static byte[] raise(ClassFile format, byte[] bytes) {
    ClassTransform version =
        (builder, element) ->
            builder.with(
                element instanceof ClassFileVersion
                    ? ClassFileVersion.of(OLDEST_CACHED, 0)
                    : element);
    ClassTransform stackMaps =
        ClassTransform.transformingMethodBodies((builder, element) -> builder.with(element));
    return format.transformClass(format.parse(bytes), version.andThen(stackMaps));
  }

  private static ClassFile format(JarFile jar) {
    ClassHierarchyResolver inJar =
        ClassHierarchyResolver.ofResourceParsing(type -> {
          JarEntry entry =
              jar.getJarEntry(type.descriptorString().replaceAll("^L|;$", "") + ".class");
          try {
            return entry == null ? null : jar.getInputStream(entry);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    return ClassFile.of(
        ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
        ClassFile.ClassHierarchyResolverOption.of(
            inJar.orElse(ClassHierarchyResolver.defaultResolver())));
  }

  private static byte[] read(JarFile jar, JarEntry entry) throws IOException {
    try (InputStream input = jar.getInputStream(entry)) {
      return input.readAllBytes();
    }
  }
}
