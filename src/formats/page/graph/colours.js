// Colours of frames, by how their code ran or by the states of threads. Each frame kind and each
// state has a hue; frames of one package share a shade.

const KIND_HUES = {
  java: [150, 42], c2: [128, 40], c1: [84, 46], inlined: [188, 46], interpreted: [46, 74],
  native: [8, 66], cpp: [28, 76], kernel: [276, 44], class: [216, 56], marker: [220, 5],
};

// Hues by the prefix of the state's name; the last row is for all other states.
const STATE_HUES = [
  ['STATE_DEFAULT', [128, 40]], ['STATE_RUNNABLE', [128, 40]], ['STATE_WAITING_FOR_CPU', [46, 74]],
  ['STATE_BLOCKED', [8, 66]], ['STATE_IN_OBJECT_WAIT', [28, 76]], ['STATE_PARKED', [216, 56]],
  ['STATE_SLEEPING', [276, 44]], ['STATE_IN_IO', [188, 46]], ['', [220, 5]],
];

class Colours {
  constructor(profile) {
    this.profile = profile;
    this.fills = new Map();
    this.shade = profile.owners.map((owner, frame) => {
      let hash = 0;
      const text = owner ? owner.slice(0, owner.lastIndexOf('.') + 1) || owner : profile.names[frame];
      for (const char of text) hash = (hash * 31 + char.codePointAt(0)) >>> 0;
      return (hash % 1009) / 1009 - 0.5;
    });
    this.kindHues = profile.frameKinds.map(({ name }) => KIND_HUES[name]);
    this.stateHues = profile.states.map((state) => STATE_HUES.find(([begin]) => state.startsWith(begin))[1]);
    this.depthShade = this.shade.map((shade) => (shade * 7919) % 1 - (shade < 0 ? -0.5 : 0.5));
  }

  get isDark() { return document.documentElement.dataset.theme === 'dark'; }

  reset() { this.fills.clear(); }

  tone(kind) { return this.#toneOf(this.kindHues[kind]); }
  toneOfState(state) { return this.#toneOf(this.stateHues[state]); }

  #toneOf([hue, saturation]) {
    return this.isDark ? `hsl(${hue} ${saturation * 0.85}% 46%)` : `hsl(${hue} ${saturation}% 62%)`;
  }

  // Returns the colour of a frame. `hue` is an element of kindHues or stateHues. `look` is 'plain',
  // 'matched', 'dimmed' (not matched) or 'above' (ancestor of the zoomed frame).
  of(frame, hue, look) {
    const key = look + hue + '/' + frame;
    let colour = this.fills.get(key);
    if (!colour) {
      colour = frame === NO_FRAME ? this.#root() : this.#frame(frame, hue, look);
      this.fills.set(key, colour);
    }
    return colour;
  }

  #root() {
    return this.isDark ? { fill: 'hsl(225 9% 27%)', ink: 'hsl(225 14% 88%)' }
      : { fill: 'hsl(225 14% 87%)', ink: 'hsl(225 16% 24%)' };
  }

  #frame(frame, [ofHue, ofSaturation], look) {
    let [hue, saturation] = [ofHue, ofSaturation];
    const shade = this.shade[frame];
    hue += shade * 20;
    let lightness = (this.isDark ? 36 : 77) + this.depthShade[frame] * 8;
    if (this.isDark) saturation *= 0.78;
    let ink = this.isDark ? 'hsl(220 20% 95%)' : 'hsl(224 28% 14%)';
    if (look === 'matched') {
      [hue, saturation, lightness] = this.isDark ? [322, 66, 50] : [322, 82, 73];
    } else if (look === 'dimmed') {
      saturation *= 0.4;
      lightness = this.isDark ? lightness - 10 : lightness + 11;
      ink = this.isDark ? 'hsl(220 8% 68%)' : 'hsl(224 10% 42%)';
    } else if (look === 'above') {
      saturation *= 0.45;
      lightness = this.isDark ? lightness - 8 : lightness + 8;
      ink = this.isDark ? 'hsl(220 10% 76%)' : 'hsl(224 12% 32%)';
    }
    return { fill: `hsl(${hue.toFixed(0)} ${saturation.toFixed(0)}% ${lightness.toFixed(0)}%)`, ink };
  }
}
