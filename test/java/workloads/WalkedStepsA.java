/** Methods that call each other in turn. {@link WalkedStepsB} is the other version of this class. */
final class WalkedStepsA {
  private WalkedStepsA() {}

  static long step0(long value, int turns) {
    long mixed = value * 31;
    long got = step1(mixed, turns);
    return got ^ turns;
  }

  static long step1(long value, int turns) {
    long mixed = value * 31;
    long got = step2(mixed, turns);
    return got ^ turns;
  }

  static long step2(long value, int turns) {
    long mixed = value * 31;
    long got = step3(mixed, turns);
    return got ^ turns;
  }

  static long step3(long value, int turns) {
    long mixed = value * 31;
    long got = step4(mixed, turns);
    return got ^ turns;
  }

  static long step4(long value, int turns) {
    long mixed = value * 31;
    long got = step5(mixed, turns);
    return got ^ turns;
  }

  static long step5(long value, int turns) {
    long mixed = value;
    for (int i = 0; i < turns; i++) {
      mixed = mixed * 33 + i;
    }
    return WalkedStorm.pause(mixed);
  }
}
