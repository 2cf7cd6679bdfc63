// A list to be put into order, by dragging or by Alt with the arrow keys. It reports the new order as positions.
export default {
  template: `
    <div class="order-list" role="listbox" :aria-label="label" @keydown="key">
      <div v-for="(word, place) in words" :key="place" role="option" class="order-row" :data-place="place"
        :class="{ over: over === place }" :aria-selected="String(place === focused)" :aria-setsize="words.length"
        :aria-posinset="place + 1" :tabindex="place === focused ? 0 : -1" draggable="true"
        @focus="at = place" @click="focus(place)" @dragstart="drag(place, $event)"
        @dragover.prevent="over = place" @dragleave="over = null" @drop.prevent="drop(place)" @dragend="over = null">
        <span class="order-place" aria-hidden="true">{{ place + 1 }}</span>
        <bdi class="order-word">{{ word }}</bdi>
        <span class="order-grip" aria-hidden="true">⠿</span>
      </div>
    </div>`,
  props: { words: Array, label: String },
  emits: ["reorder"],
  data() {
    return { at: 0, over: null, dragged: null };
  },
  computed: {
    focused() {
      return Math.min(this.at, this.words.length - 1);
    },
  },
  methods: {
    focus(place) {
      this.at = Math.max(0, Math.min(place, this.words.length - 1));
      this.$nextTick(() => this.$el.querySelector(`[data-place="${this.at}"]`)?.focus());
    },
    move(from, to) {
      if (from === to || to < 0 || to >= this.words.length) return;
      this.$emit("reorder", { from, to });
      setTimeout(() => this.focus(to), 80);
      this.at = to;
    },
    key(event) {
      const last = this.words.length - 1;
      const to = { ArrowDown: this.focused + 1, ArrowUp: this.focused - 1, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.altKey ? this.move(this.focused, to) : this.focus(to);
    },
    drag(place, event) {
      this.dragged = place;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", String(place));
    },
    drop(place) {
      this.over = null;
      if (this.dragged !== null) this.move(this.dragged, place);
      this.dragged = null;
    },
  },
};
