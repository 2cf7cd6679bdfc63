// A chart that is drawn as soon as its element is on the page, and goes with it however soon that is.
// NiceGUI's own waits before it makes the chart, and raises if its element is taken away meanwhile.
import { echarts } from "nicegui-echart";

export default {
  template: "<div></div>",
  props: { options: Object, enable3d: Boolean, renderer: String, theme: String },
  mounted() {
    this.chart = echarts.init(this.$el, null, { renderer: this.renderer });
    this.chart.on("click", (event) => this.$emit("componentClick", event));
    this.observer = new ResizeObserver(() => this.chart?.resize());
    this.observer.observe(this.$el);
    this.update_chart();
  },
  beforeUnmount() {
    this.observer?.disconnect();
    this.chart?.dispose();
    this.chart = null;
  },
  methods: {
    update_chart() {
      const drawn = this.chart?.getOption()?.series?.length;
      this.chart?.setOption(this.options, { notMerge: drawn !== this.options.series?.length });
    },
    run_chart_method(name, ...args) {
      return this.chart?.[name](...args);
    },
  },
};
