export const en = {
  "events.title": "Event",
  "events.empty": "No events",
  "events.emptyHint": "What happens to the objects of this project appears here, and is kept for an hour. From the command line:",
  "events.kind": "Object type",
  "events.count": "Count",
} as const;

export const zh: Record<keyof typeof en, string> = {
  "events.title": "事件",
  "events.empty": "暂无数据",
  "events.emptyHint": "该项目中对象的事件会显示在这里，并保留一小时。命令行：",
  "events.kind": "对象类型",
  "events.count": "次数",
};
