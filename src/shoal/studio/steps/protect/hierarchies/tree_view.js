// The tree of the editor: the rows that are to be seen, with keyboard and mouse as in the tree pattern of
// WAI-ARIA. It holds no tree: it reports each action to the server, which sends other rows. Labels are only ever
// interpolated as text.
export default {
  template: `
    <div class="tree" role="tree" aria-multiselectable="true" :aria-label="label" @keydown="key">
      <div v-for="row in rows" :key="row.n" role="treeitem" class="tree-row" :data-n="row.n"
        :class="{ chosen: isChosen(row), group: row.group, none: row.none, more: row.more, over: over === row.n }"
        :style="{ paddingLeft: (8 + 22 * (row.level - 1)) + 'px' }"
        :tabindex="row.n === focused ? 0 : -1" :aria-level="row.level" :aria-setsize="row.size"
        :aria-posinset="row.place" :aria-expanded="row.group ? String(row.open) : undefined"
        :aria-selected="row.more ? undefined : String(isChosen(row))" :aria-label="spoken(row)"
        :draggable="!row.more && !row.none && editing !== row.n"
        @click="click(row, $event)" @dblclick="row.group && !row.none && edit(row)" @focus="at = row.n"
        @dragstart="drag(row, $event)" @dragover="dragOver(row, $event)" @dragleave="over = null"
        @drop="drop(row, $event)" @dragend="over = null">
        <span class="tree-mark" aria-hidden="true" @click.stop="row.group && $emit('toggle', row.n)">
          {{ row.group ? (row.open ? '▾' : '▸') : '' }}</span>
        <span v-if="!row.more" class="tree-box" aria-hidden="true">{{ isChosen(row) ? '✓' : '' }}</span>
        <input v-if="editing === row.n" class="tree-name" v-model="text" aria-label="Name of the group" ref="name"
          maxlength="500" @keydown.stop="editKey(row, $event)" @click.stop @blur="done(row, true)">
        <bdi v-else class="tree-label" :title="row.label">{{ row.label }}</bdi>
        <span v-if="row.warn" class="badge warn">{{ row.warn }}</span>
        <span class="tree-count" aria-hidden="true">{{ row.count }}</span>
      </div>
    </div>`,
  props: { rows: Array, chosen: Array, label: String },
  emits: ["toggle", "choose", "rename", "move", "more", "act"],
  data() {
    return { at: null, editing: null, text: "", over: null, cut: [], mine: new Set(this.chosen) };
  },
  computed: {
    focused() {
      return this.rows.some((row) => row.n === this.at) ? this.at : this.rows.length ? this.rows[0].n : null;
    },
  },
  watch: {
    chosen(now) {
      this.mine = new Set(now);
    },
  },
  methods: {
    isChosen(row) {
      return this.mine.has(row.n);
    },
    spoken(row) {
      return [row.label, row.count, row.warn].filter(Boolean).join(", ");
    },
    choose(numbers) {
      this.mine = new Set(numbers);
      this.$emit("choose", [...this.mine]);
    },
    canBeChosen(row) {
      return !row.more && !row.none;
    },
    click(row, event) {
      this.focus(row.n);
      if (row.more) return this.$emit("more", row.n);
      if (row.none) return this.$emit("toggle", row.n);
      if (event.shiftKey) return this.extend(row);
      const onBox = event.target.classList.contains("tree-box");
      if (event.ctrlKey || event.metaKey || onBox) return this.flip(row);
      this.from = row.n;
      this.choose(this.mine.size === 1 && this.isChosen(row) ? [] : [row.n]);
    },
    flip(row) {
      const now = new Set(this.mine);
      now.has(row.n) ? now.delete(row.n) : now.add(row.n);
      this.from = row.n;
      this.choose(now);
    },
    extend(row) {
      const places = [this.from ?? row.n, row.n].map((n) => this.rows.findIndex((each) => each.n === n));
      const [first, last] = places.sort((a, b) => a - b);
      this.choose(this.rows.slice(Math.max(first, 0), last + 1).filter(this.canBeChosen).map((each) => each.n));
    },
    focus(n) {
      this.at = n;
      this.$nextTick(() => this.$el.querySelector(`[data-n="${n}"]`)?.focus());
    },
    parent(place) {
      for (let up = place - 1; up >= 0; up--) if (this.rows[up].level < this.rows[place].level) return up;
      return -1;
    },
    key(event) {
      const place = this.rows.findIndex((row) => row.n === this.focused);
      const row = this.rows[place];
      if (!row) return;
      const command = event.ctrlKey || event.metaKey;
      const acts = {
        ArrowDown: () => this.step(place + 1, event),
        ArrowUp: () => this.step(place - 1, event),
        Home: () => this.step(0, event),
        End: () => this.step(this.rows.length - 1, event),
        ArrowRight: () => {
          if (row.group && !row.open) this.$emit("toggle", row.n);
          else if (row.group) this.step(place + 1, {});
        },
        ArrowLeft: () => {
          if (row.group && row.open) this.$emit("toggle", row.n);
          else if (this.parent(place) >= 0) this.focus(this.rows[this.parent(place)].n);
        },
        Enter: () => (row.more ? this.$emit("more", row.n) : row.group && this.$emit("toggle", row.n)),
        " ": () => (row.more ? this.$emit("more", row.n) : row.none ? null : this.flip(row)),
        F2: () => row.group && !row.none && this.edit(row),
        Delete: () => this.$emit("act", "remove"),
        Escape: () => this.choose([]),
      };
      const commands = {
        z: () => this.$emit("act", event.shiftKey ? "redo" : "undo"),
        y: () => this.$emit("act", "redo"),
        g: () => this.$emit("act", "group"),
        x: () => (this.cut = [...(this.mine.size ? this.mine : [row.n])]),
        v: () => this.cut.length && this.$emit("move", { chosen: this.cut, target: row.n }),
        a: () => this.choose(this.rows.filter((each) => this.canBeChosen(each) && each.level === row.level)
          .filter((each) => this.parent(this.rows.indexOf(each)) === this.parent(place)).map((each) => each.n)),
      };
      const act = command ? commands[event.key.toLowerCase()] : acts[event.key];
      if (act) {
        event.preventDefault();
        act();
      } else if (!command && !event.altKey && event.key.length === 1) this.typed(event.key, place);
    },
    step(place, event) {
      const row = this.rows[place];
      if (!row) return;
      if (event.shiftKey && this.from == null) this.from = this.focused;
      this.focus(row.n);
      if (event.shiftKey) this.extend(row);
    },
    typed(sign, place) {
      const order = [...this.rows.slice(place + 1), ...this.rows.slice(0, place + 1)];
      const found = order.find((row) => row.label.toLowerCase().startsWith(sign.toLowerCase()));
      if (found) this.focus(found.n);
    },
    edit(row) {
      this.editing = row.n;
      this.text = row.label;
      this.$nextTick(() => {
        const field = this.$el.querySelector(".tree-name");
        field?.focus();
        field?.select();
      });
    },
    editKey(row, event) {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      this.done(row, event.key === "Enter");
      this.focus(row.n);
    },
    done(row, keep) {
      if (this.editing !== row.n) return;
      this.editing = null;
      if (keep && this.text !== row.label) this.$emit("rename", { n: row.n, label: this.text });
    },
    begin(n) {
      const row = this.rows.find((each) => each.n === n);
      if (row) this.edit(row);
    },
    drag(row, event) {
      this.dragged = this.isChosen(row) ? [...this.mine] : [row.n];
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", String(this.dragged.length));
    },
    dragOver(row, event) {
      if (!this.dragged || row.more) return;
      event.preventDefault();
      this.over = row.n;
    },
    drop(row, event) {
      event.preventDefault();
      this.over = null;
      if (this.dragged && !this.dragged.includes(row.n))
        this.$emit("move", { chosen: this.dragged, target: row.n });
      this.dragged = null;
    },
  },
};
