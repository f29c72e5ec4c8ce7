/**
 * The methods of {@link WalkedStepsA}, which compute the same by other bytecodes. {@link
 * WalkedStorm} redefines the class WalkedStepsA by this version and back, again and again.
 *
 * <p>The agent asgst_probe (storm_names.cc) knows the lines of both versions: on which of them each
 * method is, and on which of them it calls the next one.
 */
final class WalkedStepsB {
  private WalkedStepsB() {}

  static long step0(long value, int turns) {
    long mixed = value * 29;
    mixed += turns;
    mixed += value;
    mixed -= turns;
    mixed += value;
    long got = step1(mixed, turns);
    return got ^ turns;
  }

  static long step1(long value, int turns) {
    long mixed = value * 29;
    mixed += turns;
    mixed += value;
    mixed -= turns;
    mixed += value;
    long got = step2(mixed, turns);
    return got ^ turns;
  }

  static long step2(long value, int turns) {
    long mixed = value * 29;
    mixed += turns;
    mixed += value;
    mixed -= turns;
    mixed += value;
    long got = step3(mixed, turns);
    return got ^ turns;
  }

  static long step3(long value, int turns) {
    long mixed = value * 29;
    mixed += turns;
    mixed += value;
    mixed -= turns;
    mixed += value;
    long got = step4(mixed, turns);
    return got ^ turns;
  }

  static long step4(long value, int turns) {
    long mixed = value * 29;
    mixed += turns;
    mixed += value;
    mixed -= turns;
    mixed += value;
    long got = step5(mixed, turns);
    return got ^ turns;
  }

  static long step5(long value, int turns) {
    long mixed = value;
    for (int i = 0; i < turns; i++) {
      mixed += 10 * mixed;
      mixed += 2 * mixed;
      mixed += i;
    }
    return WalkedStorm.pause(mixed);
  }
}
