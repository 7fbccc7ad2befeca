<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en_US">
<context>
    <name>GraphCanvas</name>
    <message>
        <source>Graph of the chosen stage</source>
        <translation>所选阶段的图</translation>
    </message>
    <message>
        <source>result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>grid</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>figure</source>
        <translation>数值</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation><numerusform>另外 %n 个</numerusform></translation>
    </message>
    <message>
        <source>from</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>包含</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s); double click opens it</source>
        <translation><numerusform>%n 个节点；双击展开</numerusform></translation>
    </message>
    <message>
        <source>Laying out the graph…</source>
        <translation>正在布局…</translation>
    </message>
</context>
<context>
    <name>IrView</name>
    <message>
        <source>IR of the chosen pass</source>
        <translation>所选 pass 的 IR</translation>
    </message>
</context>
<context>
    <name>LspBackend</name>
    <message>
        <source>The language server %1 cannot be started: %2. Put it beside Studio or name it in TILEWRIGHT_LSP.</source>
        <translation>无法启动语言服务器 %1：%2。请把它放在 Studio 旁边，或用 TILEWRIGHT_LSP 指定路径。</translation>
    </message>
    <message numerus="yes">
        <source>The language server ended %n time(s) in a row (%1).</source>
        <translation><numerusform>语言服务器连续退出 %n 次（%1）。</numerusform></translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>No file is open</source>
        <translation>尚未打开文件</translation>
    </message>
    <message>
        <source>Open an operator written in MLIR, or drop one here.</source>
        <translation>打开一个用 MLIR 编写的算子，或拖放到这里。</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源码</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Hide problems</source>
        <translation>隐藏问题</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Pass 列表</translation>
    </message>
    <message>
        <source>IR</source>
        <translation>IR</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Zoom out (-)</source>
        <translation>缩小 (-)</translation>
    </message>
    <message>
        <source>Zoom in (+)</source>
        <translation>放大 (+)</translation>
    </message>
    <message>
        <source>Show all (F)</source>
        <translation>显示全部 (F)</translation>
    </message>
    <message>
        <source>Close all groups</source>
        <translation>折叠所有分组</translation>
    </message>
    <message>
        <source>Open all groups</source>
        <translation>展开所有分组</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Open &amp;trace…</source>
        <translation>打开跟踪(&amp;T)…</translation>
    </message>
    <message>
        <source>Open trace</source>
        <translation>打开跟踪</translation>
    </message>
    <message>
        <source>Chrome traces (*.json *.json.gz);;All files (*)</source>
        <translation>Chrome 跟踪 (*.json *.json.gz);;所有文件 (*)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>停止(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Dark theme</source>
        <translation>深色主题(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>剪切(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>&amp;Fit graph</source>
        <translation>图适应窗口(&amp;F)</translation>
    </message>
    <message>
        <source>Fit t&amp;imeline</source>
        <translation>时间线适应窗口(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Problems</source>
        <translation>问题(&amp;P)</translation>
    </message>
    <message>
        <source>P&amp;asses</source>
        <translation>Pass 列表(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Graph</source>
        <translation>图(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;IR</source>
        <translation>IR(&amp;I)</translation>
    </message>
    <message>
        <source>Ti&amp;meline</source>
        <translation>时间线(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;About Tilewright Studio</source>
        <translation>关于 Tilewright Studio(&amp;A)</translation>
    </message>
    <message>
        <source>About Tilewright Studio</source>
        <translation>关于 Tilewright Studio</translation>
    </message>
    <message>
        <source>&lt;b&gt;Tilewright Studio %1&lt;/b&gt;&lt;p&gt;A workbench for operators of tile-based accelerators.&lt;/p&gt;&lt;p&gt;Studio is free software under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Tilewright Studio %1&lt;/b&gt;&lt;p&gt;面向分块加速器算子的工作台。&lt;/p&gt;&lt;p&gt;Studio 是自由软件，采用 GNU 通用公共许可证第 3 版或更高版本。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Open a file (Ctrl+O)</source>
        <translation>打开文件 (Ctrl+O)</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>The machine to compile for</source>
        <translation>为哪种机器编译</translation>
    </message>
    <message>
        <source>Light or dark (Ctrl+Shift+D)</source>
        <translation>浅色或深色 (Ctrl+Shift+D)</translation>
    </message>
    <message>
        <source>Switch theme</source>
        <translation>切换主题</translation>
    </message>
    <message>
        <source>Nothing to show for this pass</source>
        <translation>此 pass 没有可显示的内容</translation>
    </message>
    <message>
        <source>No graph</source>
        <translation>没有图</translation>
    </message>
    <message>
        <source>Not compiled</source>
        <translation>未编译</translation>
    </message>
    <message>
        <source>No engine</source>
        <translation>没有引擎</translation>
    </message>
    <message>
        <source>The source can still be edited.</source>
        <translation>仍可编辑源码。</translation>
    </message>
    <message>
        <source>cpu</source>
        <translation>cpu</translation>
    </message>
    <message>
        <source>No passes yet</source>
        <translation>还没有 pass</translation>
    </message>
    <message>
        <source>They appear as soon as a file is open.</source>
        <translation>打开文件后即会出现。</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n changed something</source>
        <translation><numerusform>共 %n 个，%1 个有改动</numerusform></translation>
    </message>
    <message>
        <source>stopped by an error</source>
        <translation>因错误中止</translation>
    </message>
    <message>
        <source>No IR yet</source>
        <translation>还没有 IR</translation>
    </message>
    <message>
        <source>Choose a pass to see the program after it.</source>
        <translation>选择一个 pass，查看它之后的程序。</translation>
    </message>
    <message>
        <source>No graph yet</source>
        <translation>还没有图</translation>
    </message>
    <message>
        <source>Open a file; its operations appear here, stage by stage.</source>
        <translation>打开文件后，各阶段的操作会显示在这里。</translation>
    </message>
    <message numerus="yes">
        <source>%n line(s)</source>
        <translation><numerusform>%n 行</numerusform></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Stop the run (Shift+F5)</source>
        <translation>停止运行 (Shift+F5)</translation>
    </message>
    <message>
        <source>Run on this machine (F5)</source>
        <translation>在本机运行 (F5)</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>Nothing was run yet</source>
        <translation>尚未运行</translation>
    </message>
    <message>
        <source>Press F5 to run the operator and see what each core did, or open a Chrome trace with Ctrl+T.</source>
        <translation>按 F5 运行算子，查看每个核心做了什么；或按 Ctrl+T 打开 Chrome 跟踪。</translation>
    </message>
    <message numerus="yes">
        <source>best of %n: %1 ms</source>
        <translation><numerusform>%n 次中最快 %1 ms</numerusform></translation>
    </message>
    <message>
        <source>(%1% of peak)</source>
        <translation>（峰值的 %1%）</translation>
    </message>
    <message>
        <source>numbers agree</source>
        <translation>数值一致</translation>
    </message>
    <message>
        <source>NUMBERS DIFFER</source>
        <translation>数值不一致</translation>
    </message>
    <message>
        <source>%1 tasks</source>
        <translation>%1 个任务</translation>
    </message>
    <message>
        <source>%1% busy</source>
        <translation>%1% 忙碌</translation>
    </message>
    <message>
        <source>critical path %1 of %2</source>
        <translation>关键路径 %1 / %2</translation>
    </message>
    <message>
        <source>Tilewright Studio</source>
        <translation>Tilewright Studio</translation>
    </message>
    <message>
        <source>%1, not saved</source>
        <translation>%1，未保存</translation>
    </message>
    <message>
        <source>%1 is not valid UTF-8; it is shown read-only, with � for the bytes that are none</source>
        <translation>%1 不是有效的 UTF-8；以只读方式显示，无效字节以 � 代替</translation>
    </message>
    <message>
        <source>Compiling…</source>
        <translation>正在编译…</translation>
    </message>
    <message>
        <source>MLIR (*.mlir);;All files (*)</source>
        <translation>MLIR (*.mlir);;所有文件 (*)</translation>
    </message>
    <message>
        <source>This file is read-only here</source>
        <translation>此文件在这里是只读的</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>有未保存的修改</translation>
    </message>
    <message>
        <source>%1 has changes that are not saved.</source>
        <translation>%1 有未保存的修改。</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation><numerusform>%n 个节点</numerusform></translation>
    </message>
</context>
<context>
    <name>Origin</name>
    <message>
        <source>estimated</source>
        <translation>估算</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
</context>
<context>
    <name>ProblemsList</name>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
</context>
<context>
    <name>ProblemsModel</name>
    <message>
        <source>line %1</source>
        <translation>第 %1 行</translation>
    </message>
    <message>
        <source>%1 %2, line %3</source>
        <translation>%1 %2，第 %3 行</translation>
    </message>
</context>
<context>
    <name>Screenshot</name>
    <message>
        <source>nothing to show after %1 s; the engine is %2</source>
        <translation>%1 秒后仍无内容可显示；引擎%2</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>still working</source>
        <translation>仍在工作</translation>
    </message>
    <message>
        <source>the run left no trace</source>
        <translation>运行没有留下跟踪</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>%1 cannot be written as an image of kind &quot;%2&quot;</source>
        <translation>无法把 %1 写成 "%2" 类型的图片</translation>
    </message>
</context>
<context>
    <name>SelectionModel</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation><numerusform>%1 及另外 %n 个</numerusform></translation>
    </message>
</context>
<context>
    <name>SourceEditor</name>
    <message>
        <source>Source</source>
        <translation>源码</translation>
    </message>
</context>
<context>
    <name>SourceFile</name>
    <message>
        <source>%1 is a folder; choose a file in it</source>
        <translation>%1 是文件夹；请选择其中的文件</translation>
    </message>
    <message>
        <source>%1 is larger than 1 GiB, the most Studio opens</source>
        <translation>%1 大于 1 GiB，超出 Studio 可打开的大小</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
</context>
<context>
    <name>StageBar</name>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
</context>
<context>
    <name>StageModel</name>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Tile</source>
        <translation>Tile</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>Execution</source>
        <translation>Execution</translation>
    </message>
    <message>
        <source>LLVM</source>
        <translation>LLVM</translation>
    </message>
    <message>
        <source>Assembly</source>
        <translation>汇编</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>Pass</translation>
    </message>
    <message>
        <source>Ops</source>
        <translation>操作</translation>
    </message>
    <message numerus="yes">
        <source>%n pass(es), %1 ms, measured</source>
        <translation><numerusform>%n 个 pass，%1 ms，实测</numerusform></translation>
    </message>
    <message>
        <source>%1: %2 ms, measured</source>
        <translation>%1：%2 ms，实测</translation>
    </message>
    <message numerus="yes">
        <source>Changed %n operation(s)</source>
        <translation><numerusform>改动了 %n 个操作</numerusform></translation>
    </message>
    <message>
        <source>Changed nothing</source>
        <translation>没有改动</translation>
    </message>
    <message>
        <source>Every scope came from the cache</source>
        <translation>所有作用域都来自缓存</translation>
    </message>
    <message>
        <source>%1, changed</source>
        <translation>%1，有改动</translation>
    </message>
    <message>
        <source>%1, unchanged</source>
        <translation>%1，无改动</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
</context>
<context>
    <name>StageTree</name>
    <message>
        <source>Stages and passes</source>
        <translation>阶段与 pass</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Engine starting</source>
        <translation>引擎启动中</translation>
    </message>
    <message>
        <source>Engine ready</source>
        <translation>引擎就绪</translation>
    </message>
    <message>
        <source>Engine working</source>
        <translation>引擎工作中</translation>
    </message>
    <message>
        <source>Engine restarting</source>
        <translation>引擎重启中</translation>
    </message>
    <message>
        <source>No engine</source>
        <translation>没有引擎</translation>
    </message>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation><numerusform>%n 个错误</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation><numerusform>%n 个警告</numerusform></translation>
    </message>
    <message>
        <source>No problems</source>
        <translation>没有问题</translation>
    </message>
    <message>
        <source>Ln %1, Col %2</source>
        <translation>行 %1，列 %2</translation>
    </message>
    <message>
        <source>Generation %1 · compiled in %2 ms, measured</source>
        <translation>第 %1 代 · 编译 %2 ms，实测</translation>
    </message>
</context>
<context>
    <name>TimelineCanvas</name>
    <message>
        <source>Timeline of the last run</source>
        <translation>上次运行的时间线</translation>
    </message>
    <message>
        <source>took</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>began at</source>
        <translation>开始于</translation>
    </message>
    <message>
        <source>on</source>
        <translation>位于</translation>
    </message>
    <message>
        <source>task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>waited for</source>
        <translation>等待了</translation>
    </message>
    <message numerus="yes">
        <source>%n task(s)</source>
        <translation><numerusform>%n 个任务</numerusform></translation>
    </message>
    <message>
        <source>critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>from</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Track</source>
        <translation>轨道</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>忙碌</translation>
    </message>
</context>
<context>
    <name>Workbench</name>
    <message>
        <source>There is no stage %1</source>
        <translation>没有阶段 %1</translation>
    </message>
</context>
</TS>
